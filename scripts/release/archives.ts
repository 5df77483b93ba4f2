// The archives of a release, for whoever has no npm package, or language hosts that cannot generate SDKs: the plugin under
// the names by which `pulumi plugin install` asks a server for it, and the SDKs of Python and Go.
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** As Pulumi names them; the plugin is the same on each. */
const platforms = ["linux-amd64", "linux-arm64", "darwin-amd64", "darwin-arm64", "windows-amd64"];

export interface Archives {
  plugins: string[];
  /** A wheel, and the sources. */
  python: string[];
  go: string;
}

export interface Sources {
  /** Of this repository, with a current build. */
  root: string;
  /** With the SDKs, a folder for each language. */
  sdks: string;
  /** The folder of a Python with setuptools. */
  python: string;
  to: string;
}

export function writeArchives({ root, sdks, python, to }: Sources): Archives {
  const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as { version: string };
  const named = (name: string): string => path.join(to, `${name}.tar.gz`);
  mkdirSync(to, { recursive: true });
  const go = named(`pulumi-dbcloud-go-v${version}`);
  pack(go, path.join(sdks, "go"), "dbcloud");
  const plugins = platforms.map((platform) => named(`pulumi-resource-dbcloud-v${version}-${platform}`));
  const [first = "", ...others] = plugins;
  pack(first, path.join(root, "dist", "plugin"), ".");
  for (const other of others) copyFileSync(first, other);
  return { plugins, python: buildPython(path.join(sdks, "python"), { python, to }), go };
}

/** Each in a copy, because a build leaves its work in the sources. */
function buildPython(sources: string, { python, to }: Pick<Sources, "python" | "to">): string[] {
  const work = mkdtempSync(path.join(tmpdir(), "dbcloud-python-"));
  const [copy, built] = [path.join(work, "sources"), path.join(work, "built")];
  try {
    mkdirSync(built);
    for (const what of ["sdist", "wheel"]) {
      cpSync(sources, copy, { recursive: true });
      const build = `import sys; from setuptools import build_meta; build_meta.build_${what}(sys.argv[1])`;
      execFileSync(path.join(python, "python"), ["-c", build, built], { cwd: copy, stdio: "pipe" });
      rmSync(copy, { recursive: true });
    }
    for (const name of readdirSync(built)) copyFileSync(path.join(built, name), path.join(to, name));
    return readdirSync(built).map((name) => path.join(to, name));
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** Packs a folder under its own name. */
function pack(file: string, parent: string, folder: string): void {
  execFileSync("tar", ["-czf", file, "-C", parent, folder], { stdio: ["ignore", "ignore", "inherit"] });
}
