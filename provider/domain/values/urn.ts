// Pulumi's URNs: `urn:pulumi:STACK::PROJECT::TYPE::NAME`.

/** The name of the resource, which may itself have `::` in it. */
export function nameInUrn(urn: string): string {
  return urn.split("::").slice(3).join("::") || urn;
}
