// Where the package comes from, as npm shows it. The repository in package.json is the one place; the rest follows. Pure.

export interface Addresses {
  repository: string;
  bugs: string;
  homepage: string;
}

export interface Described {
  version: string;
  repository?: string | { url?: string };
}

/** Undefined unless package.json names a repository on the web. */
export function addressesOf({ repository }: Pick<Described, "repository">): Addresses | undefined {
  const url = typeof repository === "string" ? repository : repository?.url;
  const [, address] = /^(?:git\+)?(https:\/\/[^/]+\/.+?)(?:\.git)?\/?$/.exec(url ?? "") ?? [];
  if (address === undefined) return undefined;
  return { repository: address, bugs: `${address}/issues`, homepage: `${address}#readme` };
}

/** npm shows the README without the files beside it: links lead to the repository, as it is at the version. */
export function withAbsoluteLinks(readme: string, { repository }: Addresses, version: string): string {
  return readme.replaceAll(
    /(!?)(\[[^\]]*\]\()(?![a-z]+:|#)([^)\s]+)/g,
    (_, image: string, text: string, target: string) =>
      `${image}${text}${repository}/${image === "" ? "blob" : "raw"}/v${version}/${target}`,
  );
}
