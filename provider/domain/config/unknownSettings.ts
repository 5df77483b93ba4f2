// Programs load this file, so it loads nothing.

/** Pulumi: while a setting is unknown, no handler is called for the provider's resources. */
export function describeUnknownSettings(provider: string, keys: readonly string[]): string {
  return (
    `Provider ${provider}: ${keys.join(", ")} is not known in this preview, so changes of its resources cannot be previewed: ` +
    "the replacement of a database with its data may look like an update. First run `pulumi up --target` for the resource " +
    "that it comes from, then preview again."
  );
}
