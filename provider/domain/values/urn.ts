// Pulumi's URNs: `urn:pulumi:STACK::PROJECT::TYPE::NAME`.

/** The name of the resource, which may itself have `::` in it. */
export function nameInUrn(urn: string): string {
  return urn.split("::").slice(3).join("::") || urn;
}

/** As `PROJECT/STACK`; undefined for what is no URN. */
export function stackInUrn(urn: string): string | undefined {
  const [, stack, project] = /^urn:pulumi:([^:]+)::([^:]+)::/.exec(urn) ?? [];
  return stack && `${project}/${stack}`;
}
