// `npm run release -- VERSION`: makes the files of a release in `release/`, from a clean tree whose checks and tests pass:
// the npm package, the plugin as an archive for each platform, and the SDKs for CLIs that do not generate them. Commits and
// publishes nothing; the last lines say how.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { writeArchives } from "./release/archives.ts";
import { writeExecutable } from "./release/executable.ts";
import { addressesOf, type Described, withAbsoluteLinks } from "./release/addresses.ts";
import { refusalsOf, withRelease } from "./release/changelog.ts";
import { ensureLanguages } from "./setup/languages.mjs";
import { cacheFolder } from "./setup/paths.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = path.join(root, "release");
const [version = ""] = process.argv.slice(2);
const described = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as Described;
const { version: current } = described;
const addresses = addressesOf(described);
const changelogFile = path.join(root, "CHANGELOG.md");
const changelog = readFileSync(changelogFile, "utf8");

const refusals = refusalsOf({
  version,
  current,
  changelog,
  changed: read("git", "status", "--porcelain").split("\n").filter(Boolean),
  branch: read("git", "branch", "--show-current"),
  hasRepository: addresses !== undefined,
});
if (addresses === undefined || refusals.length > 0) fail(refusals);

writeFileSync(changelogFile, withRelease(changelog, version, new Date().toISOString().slice(0, 10)));
if (version !== current) run("npm", "version", version, "--no-git-tag-version");
run("npm", "pkg", "set", `bugs.url=${addresses.bugs}`, `homepage=${addresses.homepage}`);
run("npm", "run", "docs");
run("npm", "test");

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
const readmeFile = path.join(root, "README.md");
const readme = readFileSync(readmeFile, "utf8");
try {
  writeFileSync(readmeFile, withAbsoluteLinks(readme, addresses, version));
  run("npm", "pack", "--pack-destination", folder);
} finally {
  writeFileSync(readmeFile, readme);
}
const { sdks, python } = await ensureLanguages({ root, env: process.env, cache: cacheFolder(process.env) });
writeArchives({ root, sdks, python, to: folder });
const executable = writeExecutable({ root, to: folder });
if ("missing" in executable) process.stdout.write(`there is no plugin as one file: ${executable.missing}\n`);
process.stdout.write(`
The files are in ${path.relative(process.cwd(), folder)}. Then:
  git commit --all --message "docs: release ${version}" && git tag v${version}
  npm publish ${path.join("release", `pulumi-dbcloud-${version}.tgz`)}
`);

function read(program: string, ...args: string[]): string {
  return execFileSync(program, args, { cwd: root, encoding: "utf8" }).trim();
}

function run(program: string, ...args: string[]): void {
  execFileSync(program, args, { cwd: root, stdio: "inherit" });
}

function fail(reasons: readonly string[]): never {
  process.stderr.write(`there is no release:\n${reasons.map((reason) => `  ${reason}\n`).join("")}`);
  process.exit(1);
}
