// The plugin as one file that needs no Node.js, beside the archives: Node's own single executable, for the platform of this
// machine. Without its symbols Node.js is a quarter smaller, and with the compiled code in the file it starts in half the time.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { isAtLeast } from "../setup/versions.mjs";

const NAME = "pulumi-resource-dbcloud";
/** The first that writes a single executable by itself. */
const NODE = "26.0.0";

/** The archive, or the reason why this machine makes none. `root`: this repository, with a current build. */
export function writeExecutable({ root, to }: { root: string; to: string }): { file: string } | { missing: string } {
  // On macOS a program that was changed must be signed again, and Windows has no `strip`.
  if (process.platform !== "linux") return { missing: "it is made on Linux only" };
  if (!isAtLeast(process.version, NODE)) return { missing: `it needs Node.js ${NODE}, and this is ${process.version}` };
  const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as { version: string };
  const plugin = path.join(root, "dist", "plugin");
  const work = mkdtempSync(path.join(tmpdir(), "dbcloud-executable-"));
  const [node, built, settings] = ["node", "built", "sea.json"].map((name) => path.join(work, name)) as [
    string,
    string,
    string,
  ];
  try {
    mkdirSync(built);
    copyFileSync(process.execPath, node);
    execFileSync("strip", [node], { stdio: "pipe" });
    const config = {
      main: path.join(plugin, "main.js"),
      executable: node,
      output: path.join(built, NAME),
      assets: Object.fromEntries(["schema.json", "errors.md"].map((name) => [name, path.join(plugin, name)])),
      disableExperimentalSEAWarning: true,
      useCodeCache: true,
    };
    writeFileSync(settings, JSON.stringify(config));
    execFileSync(process.execPath, ["--build-sea", settings], { stdio: "pipe" });
    const platform = `linux-${process.arch === "x64" ? "amd64" : process.arch}`;
    const file = path.join(to, `${NAME}-v${version}-${platform}-standalone.tar.gz`);
    mkdirSync(to, { recursive: true });
    execFileSync("tar", ["-czf", file, "-C", built, NAME], { stdio: ["ignore", "ignore", "inherit"] });
    return { file };
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, "code") === "ENOENT")
      return { missing: "there is no `strip` on PATH" };
    throw error;
  } finally {
    rmSync(work, { recursive: true });
  }
}
