// `pulumi-dbcloud explain NAME`: the explanation of an error, by the name that its message ends with.

import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { explain } from "../provider/domain/explain";
import { type Command, parse, UsageError } from "./command";

export const explaining: Command = {
  usage: `Usage: pulumi-dbcloud explain [NAME]

Explains an error: what it looks like, why it appears, and what to do about it. NAME is the last word of the error's
message. Without NAME, lists all names.

  --help                 show this text
`,

  run(argv, io) {
    const { positionals } = parse(argv, {});
    if (positionals.length > 1) throw new UsageError("explain takes one name");
    const docs = path.join(rootOfPackage(), "docs");
    const page = readFileSync(path.join(docs, "errors.md"), "utf8");
    const { text, isFound } = explain(page, positionals[0], (link) => pathFrom(io.cwd, path.join(docs, link)));
    if (isFound) io.out(text);
    else io.error(`pulumi-dbcloud explain: ${text}`);
    return Promise.resolve(isFound ? 0 : 1);
  },
};

function rootOfPackage(): string {
  const isRoot = (folder: string): boolean => existsSync(path.join(folder, "package.json"));
  return ["..", "../.."].map((up) => path.join(__dirname, up)).find(isRoot) ?? "";
}

/** The path of a file that opens in this folder. */
function pathFrom(cwd: string, file: string): string {
  const below = path.relative(cwd, file);
  return below.startsWith("..") ? file : below;
}
