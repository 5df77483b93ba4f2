// Generates the part of docs/errors.md that explains each error, from the table that `pulumi-dbcloud explain` prints.
import { readFileSync } from "node:fs";
import path from "node:path";
import type { ErrorRow, errorTable } from "../../provider/domain/errorTable.ts";
import { withBlock } from "./block.ts";

export function writeErrors(document: string, table: typeof errorTable, root: string): string {
  const sections = Object.entries(table).flatMap(([title, rows]) => [
    `## ${title}`,
    ...Object.entries<ErrorRow>(rows).flatMap(([name, row]) => [
      `### ${name}`,
      row.looks.map((words) => `\`${words}\``).join(" · "),
      [row.cause, row.remedy, ...(row.page === undefined ? [] : [`More: ${linkTo(row.page, root)}.`])].join(
        row.remedy.startsWith("- ") ? "\n\n" : " ",
      ),
    ]),
  ]);
  return withBlock(document, "errors", sections.join("\n\n"));
}

/** The title of the page, or of the heading that the address names. */
function linkTo(page: string, root: string): string {
  const [file = "", anchor] = page.split("#");
  const headings = Array.from(
    readFileSync(path.join(root, file), "utf8").matchAll(/^#+ (.*)$/gm),
    ([, one = ""]) => one,
  );
  const title = anchor === undefined ? headings[0] : headings.find((heading) => slugOf(heading) === anchor);
  if (title === undefined) throw new Error(`there is no ${page}`);
  return `[${title}](${path.posix.relative("docs", page)})`;
}

function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .replaceAll(" ", "-");
}
