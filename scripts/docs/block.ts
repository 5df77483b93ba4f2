// The parts of a document that are generated.

/** The document with new text between `<!-- NAME: generated -->` and `<!-- end of NAME -->`. */
export function withBlock(document: string, name: string, text: string): string {
  const [opening, closing] = [`<!-- ${name}: generated -->`, `<!-- end of ${name} -->`];
  const [before = "", rest] = document.split(opening);
  const after = rest?.split(closing)[1];
  if (after === undefined) throw new Error(`the document lacks ${opening} … ${closing}`);
  return `${before}${opening}\n\n${text}\n\n${closing}${after}`;
}

/** A table in the format of oxfmt. The first row is its head; all columns but the first may hold numbers. */
export function alignedTable(rows: readonly (readonly string[])[], hasNumbers = false): string[] {
  const columns = rows[0]?.length ?? 0;
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const isNumber = (column: number): boolean => hasNumbers && column > 0;
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell[isNumber(column) ? "padStart" : "padEnd"](widths[column] ?? 0)).join(" | ")} |`;
  const [head = "", ...body] = rows.map(line);
  const rules = widths.map((width, column) => (isNumber(column) ? `${"-".repeat(width - 1)}:` : "-".repeat(width)));
  return [head, `| ${rules.join(" | ")} |`, ...body];
}
