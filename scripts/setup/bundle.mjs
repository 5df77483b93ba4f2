// Bundles the sources into `dist`: a file for each entry of package.json and for what entries share, and a file of types
// for each entry that is imported. Run by build.mjs in the folder of the package.
import { encode, decode } from "@jridgewell/sourcemap-codec";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { rolldown } from "rolldown";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";

/** @typedef {{ fileName: string, text: string, executable?: boolean }} Output */
/** @typedef {{ engines: { node: string }, bin: Record<string, string>, exports: Record<string, string | { default: string }> }} Manifest */

const { bin, engines, exports } = /** @type {Manifest} */ (JSON.parse(readFileSync("package.json", "utf8")));

/** `./dist/provider/index.js` is built from `provider/index.ts`. @type {(file: string) => string} */
const nameOf = (file) => path.posix.relative("dist", file).replace(/\.js$/, "");

const imported = Object.values(exports).flatMap((entry) => (typeof entry === "string" ? [] : [nameOf(entry.default)]));
const commands = Object.values(bin).map(nameOf);
/** The command finds the emulator by its place. */
const foundByPlace = ["emulator/command"];

/** Users get fixes of these without a release of this package, and their program has one copy of Pulumi's. */
const external = ["undici", "zod", /^@pulumi\//];

/** @param {RegExp} pattern Of the path from the root. @returns {(id: string) => boolean} */
const ofPath = (pattern) => (id) => pattern.test(path.relative("", id).replaceAll(path.sep, "/"));

/**
 * The classes of programs, without a source map. Pulumi: for each property of a resource it takes four stack traces, and looks
 * each frame of a file with a map up in it, which is what a program spends most of its time on. Commands and the emulator have
 * none either.
 */
const PROGRAM = "program";

/** What several entries share is there once, so that a class is the same in each of them. */
const groups = [
  // By themselves, because programs load them and the handlers do: a program loads neither zod nor undici at once.
  {
    name: "shared",
    test: ofPath(
      /^provider\/(?:pulumi\/stateNames|domain\/(?:endpoint|config\/(?:previewWarnings|runEnvironment)|values\/printable))\.ts$/,
    ),
    priority: 1,
  },
  { name: PROGRAM, test: ofPath(/^provider\/(?:pulumi\/(?!stateNames)|kinds\/.*\bclass\.ts$)/) },
  { name: "provider", test: ofPath(/^provider\/(?:domain|api|plan|core|client|kinds\/(?!.*\bclass\.ts$))\b/) },
  { name: "emulator", test: ofPath(/^emulator\//) },
];

/** @returns {Promise<Output[]>} */
async function bundleCode() {
  const input = Object.fromEntries([...imported, ...commands, ...foundByPlace].map((name) => [name, `${name}.ts`]));
  const bundle = await rolldown({ input, external, platform: "node", tsconfig: "tsconfig.build.json" });
  const { output } = await bundle.generate({
    dir: "dist",
    format: "cjs",
    exports: "named",
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name].js",
    codeSplitting: { groups },
    comments: false,
    sourcemap: true,
  });
  await bundle.close();
  return output.flatMap((chunk) => {
    if (chunk.type !== "chunk") return [];
    const { fileName, map, name } = chunk;
    const code = chunk.code.replace(/\n*(?:\/\/# sourceMappingURL=.*\n?)?$/, "\n");
    const withMap =
      map?.sources.length && ![PROGRAM, "emulator", ...commands].includes(name)
        ? addMap(fileName, code, JSON.stringify(slim(map)))
        : [{ fileName, text: code }];
    return withMap.map((file) => ({ ...file, executable: commands.includes(name) && file.fileName === fileName }));
  });
}

const needed = engines.node.replace(">=", "");

// Pulumi: shows what a plugin writes before its port, and then that it ended.
const launcher = `#!/bin/sh
if ! command -v node >/dev/null 2>&1; then
  echo "pulumi-resource-dbcloud needs Node.js ${needed} or newer, and there is no 'node' in PATH: $PATH" >&2
  exit 1
fi
exec node "$(dirname "$0")/main.js" "$@"
`;
const windowsLauncher = [
  "@where /q node || (echo pulumi-resource-dbcloud needs Node.js " + needed + " or newer on PATH>&2 & exit /b 1)",
  '@node "%~dp0main.js" %*',
  "",
].join("\r\n");

/** Before anything is loaded that an older Node.js cannot load. */
const versionCheck = `{
  const [major, minor] = process.versions.node.split(".").map(Number);
  const [leastMajor, leastMinor] = ${JSON.stringify(needed.split(".").map(Number))};
  if (major < leastMajor || (major === leastMajor && minor < leastMinor)) {
    process.stderr.write("pulumi-resource-dbcloud needs Node.js ${needed} or newer, and this is " + process.versions.node + ": " + process.execPath + "\\n");
    process.exit(1);
  }
}`;

/**
 * The plugin, with all that it loads: programs in other languages have no `node_modules`, and the engine finds it by its
 * folder.
 * @returns {Promise<Output[]>}
 */
async function bundlePlugin() {
  const bundle = await rolldown({ input: "plugin/main.ts", platform: "node", tsconfig: "tsconfig.build.json" });
  const { output } = await bundle.generate({
    dir: "dist/plugin",
    format: "cjs",
    codeSplitting: false,
    comments: false,
    minify: true,
    banner: versionCheck,
  });
  await bundle.close();
  const [{ code }] = output;
  const name = "pulumi-resource-dbcloud";
  const files = [
    { fileName: "main.js", text: code },
    { fileName: "schema.json", text: readFileSync("plugin/schema.json", "utf8") },
    { fileName: "errors.md", text: readFileSync("docs/errors.md", "utf8") },
    { fileName: name, text: launcher, executable: true },
    { fileName: `${name}.cmd`, text: windowsLauncher },
  ];
  return files.map((file) => ({ ...file, fileName: `plugin/${file.fileName}` }));
}

/**
 * The page in one file, for the emulator to serve and for `drift --html` to write. Its policy names the script and the
 * style by their digests, so that nothing else in it can run or load, whatever a document holds.
 * @returns {Promise<Output[]>}
 */
async function bundlePage() {
  const bundle = await rolldown({ input: "page/main.tsx", platform: "browser", tsconfig: "page/tsconfig.json" });
  const { output } = await bundle.generate({ format: "iife", codeSplitting: false, comments: false, minify: true });
  await bundle.close();
  const script = output[0].code.trim().replaceAll("</", String.raw`<\/`);
  const style = readFileSync("page/style.css", "utf8").replaceAll(/\s+/g, " ").trim();
  const digest = (/** @type {string} */ text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  const rules = [
    "default-src 'none'",
    `script-src ${digest(script)}`,
    `style-src ${digest(style)}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ];
  const parts = { policy: rules.join("; "), style, script };
  const text = readFileSync("page/page.html", "utf8").replaceAll(
    /%(policy|style|script)%/g,
    (_, /** @type {keyof typeof parts} */ name) => parts[name],
  );
  return [{ fileName: "page/page.html", text }];
}

/** A small one stands in the file itself. @type {(fileName: string, code: string, map: string) => Output[]} */
function addMap(fileName, code, map) {
  const url = (/** @type {string} */ target) => `${code}//# sourceMappingURL=${target}\n`;
  if (map.length < 8192) {
    const data = Buffer.from(map).toString("base64");
    return [{ fileName, text: url(`data:application/json;base64,${data}`) }];
  }
  const name = `${fileName}.map`;
  return [
    { fileName, text: url(path.posix.basename(name)) },
    { fileName: name, text: map },
  ];
}

/**
 * The file and the line of each piece of code. Columns, names and texts of the sources would make the package twice as
 * large.
 * @param {{ sources: string[], mappings: string }} map
 */
function slim({ sources, mappings }) {
  const lines = decode(mappings).map((segments) =>
    segments.filter(([, source, line], index) => {
      const [, sourceBefore, lineBefore] = segments[index - 1] ?? [];
      return source !== undefined && (source !== sourceBefore || line !== lineBefore);
    }),
  );
  /** @type {(segment: import("@jridgewell/sourcemap-codec").SourceMapSegment) => [number, number, number, number]} */
  const withoutName = ([column, source = 0, line = 0, at = 0]) => [column, source, line, at];
  return { version: 3, sources, names: [], mappings: encode(lines.map((segments) => segments.map(withoutName))) };
}

/** Of its own the plugin takes what is in `node_modules`, as the declarations are, for somebody else's. */
const ours = {
  name: "ours",
  /** @param {string} id @param {string} [importer] */
  resolveId(id, importer) {
    if (!importer || !id.startsWith(".")) return null;
    const name = path.resolve(path.dirname(importer), id.replace(/\.js$/, ""));
    return [`${name}.d.ts`, path.join(name, "index.d.ts")].find((file) => existsSync(file));
  },
};

/**
 * @param {string} folder Of the declarations, a file for each source.
 * @returns {Promise<Output[]>}
 */
async function bundleTypes(folder) {
  const input = Object.fromEntries(imported.map((name) => [name, path.join(folder, `${name}.d.ts`)]));
  const bundle = await rollup({ input, external: (id) => /^@?\w/.test(id), plugins: [ours, dts()] });
  const { output } = await bundle.generate({
    entryFileNames: "[name].d.ts",
    chunkFileNames: "chunks/[name].d.ts",
    manualChunks: (id) => /^emulator|domain/.exec(path.relative(folder, id))?.[0],
  });
  await bundle.close();
  return output.flatMap((chunk) => (chunk.type === "chunk" ? [{ fileName: chunk.fileName, text: chunk.code }] : []));
}

/** Checks all types. @param {string} folder */
function declare(folder) {
  const tsc = path.join("node_modules", "typescript", "bin", "tsc");
  const declarations = ["--outDir", folder, "--tsBuildInfoFile", path.join(folder, "tsbuildinfo")];
  const { status } = spawnSync(process.execPath, [tsc, "-p", "tsconfig.build.json", ...declarations], {
    stdio: "inherit",
  });
  if (status !== 0) process.exit(1);
}

/** @param {Output[]} outputs */
function write(outputs) {
  const files = outputs.map(({ fileName }) => path.normalize(fileName));
  mkdirSync("dist", { recursive: true });
  for (const entry of readdirSync("dist", { withFileTypes: true, recursive: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (!entry.isDirectory() && !files.includes(path.relative("dist", file))) rmSync(file);
  }
  for (const { fileName, text, executable } of outputs) {
    const file = path.join("dist", fileName);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    // npm does this for a package that is installed; here the commands are linked before they are built.
    if (executable) chmodSync(file, 0o755);
  }
}

const declarations = path.join("node_modules", ".cache", "pulumi-dbcloud", "types");
declare(declarations);
write((await Promise.all([bundleCode(), bundleTypes(declarations), bundlePlugin(), bundlePage()])).flat());
