// The archives of a release, for whoever has no npm package, or language hosts that cannot generate SDKs: the plugin under
// the names by which `pulumi plugin install` asks a server for it, and the SDKs of Python and Go.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** As Pulumi names them; the plugin is the same on each. */
const platforms = ["linux-amd64", "linux-arm64", "darwin-amd64", "darwin-arm64", "windows-amd64"];

export interface Archives {
  plugins: string[];
  python: string;
  go: string;
}

export interface Sources {
  /** Of this repository, with a current build. */
  root: string;
  /** With the SDKs, a folder for each language. */
  sdks: string;
  to: string;
}

export function writeArchives({ root, sdks, to }: Sources): Archives {
  const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as { version: string };
  const named = (name: string): string => path.join(to, `${name}.tar.gz`);
  mkdirSync(to, { recursive: true });
  const python = named(`pulumi-dbcloud-python-v${version}`);
  pack(python, sdks, "python");
  const go = named(`pulumi-dbcloud-go-v${version}`);
  pack(go, path.join(sdks, "go"), "dbcloud");
  const plugins = platforms.map((platform) => named(`pulumi-resource-dbcloud-v${version}-${platform}`));
  const [first = "", ...others] = plugins;
  pack(first, path.join(root, "dist", "plugin"), ".");
  for (const other of others) copyFileSync(first, other);
  return { plugins, python, go };
}

/** Packs a folder under its own name. */
function pack(file: string, parent: string, folder: string): void {
  execFileSync("tar", ["-czf", file, "-C", parent, folder], { stdio: ["ignore", "ignore", "inherit"] });
}
