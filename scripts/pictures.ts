// `node scripts/run.mjs pictures`: writes the pictures in docs/pictures. That of the README is from a real run against an
// emulator: the program of the quick start with a size, its preview, and a query over the connection string of the stack. The
// others are what the tests of the page see of their project.
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { createEmulator } from "pulumi-dbcloud/emulator";
import { pictureOf } from "./pictures/terminal.ts";
import { startVitest } from "./vitest.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), "dbcloud-pictures-"));
const emulator = await createEmulator({ seed: 7, postgres: "auto" });
const env = {
  ...Object.fromEntries(Object.entries(process.env).filter(([key]) => !/^(?:PULUMI|DBCLOUD)_/.test(key))),
  PULUMI_HOME: path.join(folder, "home"),
  PULUMI_BACKEND_URL: pathToFileURL(folder).href,
  PULUMI_CONFIG_PASSPHRASE: "pictures",
  DBCLOUD_BASE_URL: emulator.baseUrl,
  DBCLOUD_API_KEY: emulator.apiKey,
  DBCLOUD_POLL_INTERVAL: "10ms",
};

async function run(command: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)("sh", ["-c", command], { cwd: folder, env });
  return stdout.trimEnd().split("\n");
}

try {
  cpSync(path.join(root, "examples/quickstart"), folder, { recursive: true });
  mkdirSync(path.join(folder, "node_modules/@pulumi"), { recursive: true });
  symlinkSync(root, path.join(folder, "node_modules/pulumi-dbcloud"));
  symlinkSync(path.join(root, "node_modules/@pulumi/pulumi"), path.join(folder, "node_modules/@pulumi/pulumi"));
  writeFileSync(path.join(folder, "package.json"), "{}");
  await run("pulumi stack select --create dev && pulumi up --yes --skip-preview");

  const file = path.join(folder, "index.js");
  const program = readFileSync(file, "utf8").replace("{ waitFor", "{ cpuMillis: 1000, memoryGbs: 4, waitFor");
  writeFileSync(file, program);
  const preview = "pulumi preview";
  const up = "pulumi up --yes --skip-preview";
  const psql = 'psql "$(pulumi stack output url --show-secrets)" -c "SHOW server_version"';
  const lines = [
    "# index.js",
    ...program.trimEnd().split("\n"),
    "",
    `$ ${preview}`,
    ...fromLast(/^ ~ /, await run(`${preview} --color never`)).filter((line) => line !== ""),
    "",
    `$ ${up}`,
    ...fromLast(/^ ~ .* updated /, await run(`${up} --color never`)).filter((line) => /^ ~|^Outputs|^ +url/.test(line)),
    "",
    `$ ${psql}`,
    ...(await run(psql)),
  ];
  const title = "A program that resizes a service, its preview, and a query";
  writeFileSync(path.join(root, "docs/pictures/quickstart.svg"), pictureOf(title, lines));
} finally {
  await emulator.close();
  rmSync(folder, { recursive: true, force: true });
}

const tests = ["run", "--project", "browser", "test/browser/project.test.ts"];
process.exitCode = startVitest(root, tests, { ...process.env, PICTURES: "update" }) ?? 1;

/** The last line of that form and what follows it, without Pulumi's own progress. */
function fromLast(form: RegExp, lines: readonly string[]): string[] {
  const from = lines.findLastIndex((line) => form.test(line));
  if (from < 0) throw new Error(`no line like ${form} in:\n${lines.join("\n")}`);
  return lines.slice(from).filter((line) => !/^@ |pulumi:pulumi:Stack/.test(line));
}
