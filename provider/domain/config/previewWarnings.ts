// Warnings that a class gives in a preview, and the plugin for other languages. Programs load this file, so it loads nothing.

/** Pulumi: while a setting is unknown, no handler is called for the provider's resources. */
export function describeUnknownSettings(provider: string, keys: readonly string[]): string {
  return (
    `Provider ${provider}: ${keys.join(", ")} is not known in this preview, so changes of its resources cannot be previewed: ` +
    "the replacement of a database with its data may look like an update. First run `pulumi up --target` for the resource " +
    "that it comes from, then preview again."
  );
}

/**
 * What an option of Pulumi says that names no input; undefined if all paths do. Pulumi: such a path is accepted, and then the
 * change that it was to stop or to extend is made as usual.
 */
export function describePaths(option: string, paths: readonly string[], inputs: readonly string[]): string | undefined {
  const unknown = paths.filter((path) => {
    const first = /^(?:\["?)?([^."[\]]*)/.exec(path)?.[1] ?? "";
    return first !== "*" && !first.startsWith("__") && !inputs.includes(first);
  });
  if (unknown.length === 0) return undefined;
  return `\`${option}\` names no input: ${unknown.join(", ")}. The inputs are ${inputs.join(", ")}.`;
}
