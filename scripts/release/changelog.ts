// The texts of a release: what refuses it, and the changelog with the entry of the new version. Pure.

export interface Wanted {
  version: string;
  /** The one of package.json. */
  current: string;
  changelog: string;
  /** Files that git shows as changed. */
  changed: readonly string[];
  branch: string;
  /** Whether package.json says where the package comes from. */
  hasRepository: boolean;
}

const UNRELEASED = /^## Unreleased\n([^]*?)(?=^## |$(?![^]))/m;

/** Why there is no release; empty if nothing is in its way. */
export function refusalsOf({ version, current, changelog, changed, branch, hasRepository }: Wanted): string[] {
  const [, text = ""] = UNRELEASED.exec(changelog) ?? [];
  return [
    ...(/^\d+\.\d+\.\d+$/.test(version) ? [] : [`${version} is no version such as 1.2.3`]),
    ...(isNewer(version, current) || version === current ? [] : [`${version} is older than ${current}`]),
    ...(changelog.includes(`\n## ${version} `) ? [`CHANGELOG.md has an entry for ${version} already`] : []),
    ...(text.trim() === "" ? ["CHANGELOG.md says nothing under Unreleased"] : []),
    ...(changed.length === 0 ? [] : [`these files are not committed: ${changed.join(", ")}`]),
    ...(hasRepository
      ? []
      : ["package.json names no repository: `npm pkg set repository.url=https://HOST/OWNER/NAME`"]),
    ...(branch === "main" ? [] : [`this is ${branch}, and a release is made from main`]),
  ];
}

function isNewer(version: string, current: string): boolean {
  const [left = [], right = []] = [version, current].map((text) => text.split(".").map(Number));
  const at = left.findIndex((number, index) => number !== right[index]);
  return at >= 0 && (left[at] ?? 0) > (right[at] ?? 0);
}

/** What was unreleased becomes the entry of the version. */
export function withRelease(changelog: string, version: string, date: string): string {
  return changelog.replace(/^## Unreleased\n/m, `## Unreleased\n\n## ${version} (${date})\n`);
}
