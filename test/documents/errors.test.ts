// The page of errors has a row for each code, category, refusal and reason, and for the message of each error that is made.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import {
  type ApiCategory,
  ApiError,
  ConfigError,
  ContractError,
  type ErrorCode,
  InputError,
  OutcomeUnknownError,
  PartialError,
  type ProviderError,
  RefusedError,
  TransportError,
  WaitError,
} from "../../provider/domain/errors";
import { type DeleteFacts, type Refusal, refusalOf } from "../../provider/lifecycle/view/decideDelete";

const root = path.join(__dirname, "..", "..");
const page = readFileSync(path.join(root, "docs", "errors.md"), "utf8");

/** The rows of the tables of a section, cell by cell. */
function rowsOf(title: string): string[][] {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${title}\n`)) ?? "";
  const rows = [...section.matchAll(/^\| (.*) \|$/gm)].map(([, row = ""]) => row.split(" | ").map((one) => one.trim()));
  return rows.slice(1).filter(([first = ""]) => !/^-+$/.test(first));
}

const words = (cell = ""): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word);
const firsts = (title: string): string[] => rowsOf(title).flatMap(([first]) => words(first));

test("each code has its row, with its class", () => {
  const errors: Record<ErrorCode, ProviderError> = {
    CONFIG: new ConfigError(""),
    INPUT: new InputError("", ""),
    TRANSPORT: new TransportError("", "no", ""),
    API: new ApiError({ operation: "", status: 400, category: "badRequest" }, ""),
    CONTRACT: new ContractError("", ""),
    WAIT: new WaitError("timeout", ""),
    OUTCOME_UNKNOWN: new OutcomeUnknownError(""),
    PARTIAL: new PartialError("", {}, ""),
    REFUSED: new RefusedError(""),
  };
  const told = new Map(rowsOf("Codes").map(([code, classes]) => [words(code)[0], words(classes)[0]]));
  expect(told).toEqual(new Map(Object.entries(errors).map(([code, { name }]) => [code, name])));
  expect(Object.entries(errors).every(([code, error]) => error.code === code)).toBe(true);
  const sections = new Set(Array.from(page.matchAll(/^- \[.*\]\(#(.*)\)$/gm), ([, anchor = ""]) => anchor));
  for (const error of Object.values(errors)) expect(sections).toContain(error.page.replace("docs/errors.md#", ""));
});

test("each category of an answer, and each reason of a wait, has its row", () => {
  const categories: Record<ApiCategory, true> = {
    notFound: true,
    conflict: true,
    auth: true,
    forbidden: true,
    badRequest: true,
    rate: true,
    server: true,
    absentRoute: true,
    tooEarly: true,
  };
  expect(firsts("What the API answered").toSorted()).toEqual(Object.keys(categories).toSorted());
  const reasons: Record<WaitError["reason"], true> = { timeout: true, terminal: true, vanished: true };
  expect(firsts("Waits").toSorted()).toEqual(Object.keys(reasons).toSorted());
});

test("each refusal of a delete has its row, with words of its message", () => {
  const facts: DeleteFacts = {
    label: "read replica set readers (set1)",
    id: "set1",
    keeper: undefined,
    wanter: { by: "DBCLOUD_ADOPT", label: "service orders (svc1)" },
    protectedBy: undefined,
    owner: { label: "service orders (svc1)", is: "protected" },
    isLeft: true,
    isUnconfirmed: true,
    isRegistered: true,
    isReplacedFirst: true,
    isRefusedByTag: true,
    mayGoUnread: false,
    tag: { is: "unreadable", why: "for 5 m: 500", isTimeUp: true },
  };
  const refusals: Record<Refusal, true> = {
    wanted: true,
    unconfirmed: true,
    protected: true,
    otherEntry: true,
    owner: true,
    ownerTag: true,
    leftInTheWay: true,
    tag: true,
    unread: true,
  };
  const rows = rowsOf("Refused deletes and replacements");
  expect(rows.flatMap(([refusal]) => words(refusal)).toSorted()).toEqual(Object.keys(refusals).toSorted());
  for (const refusal of Object.keys(refusals) as Refusal[]) {
    const [, message] = rows.find(([first]) => first === `\`${refusal}\``) ?? [];
    const said = refusalOf(refusal, facts, "delete").message;
    expect(words(message).map((one) => said.includes(one))).toEqual([true]);
  }
});

const sources = ["provider", "cli", "plugin"].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => ({ name: `${folder}/${name}`, text: readFileSync(path.join(root, folder, name), "utf8") })),
);
/** An `ApiError` has the words of the server, and its category has a row. */
const CLASSES =
  /^(?:(?:Config|Input|Refused|Missing|Transport|Contract|Wait|OutcomeUnknown|Partial|Provider)Error|pulumi\.RunError)$/;

/** The texts of each error that the sources make: its literals, with `…` between them. */
function madeErrors(): { name: string; text: string }[] {
  return sources.flatMap(({ name, text }) => {
    const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
    const found: { name: string; text: string }[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isNewExpression(node) && CLASSES.test(node.expression.getText())) {
        found.push({ name, text: literalsOf(node).join("…") });
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
    return found;
  });
}

function literalsOf(node: ts.Node): string[] {
  const literals: string[] = [];
  const visit = (child: ts.Node): void => {
    if (ts.isStringLiteralLike(child) || ts.isTemplateHead(child) || ts.isTemplateMiddleOrTemplateTail(child)) {
      literals.push(child.text);
    }
    ts.forEachChild(child, visit);
  };
  visit(node);
  return literals;
}

const families = page.split(/^## Configuration$/m)[1] ?? "";
const messages = [...families.matchAll(/^\| (.*) \|$/gm)].flatMap(([, row = ""]) =>
  row
    .split(" | ")
    .slice(0, 2)
    .flatMap((cell) => words(cell))
    .map((message) => message.split("…").map((piece) => piece.trim())),
);

/** Whether a text has these pieces in this order. */
function hasInOrder(text: string, pieces: readonly string[]): boolean {
  let at = 0;
  return pieces.every((piece) => {
    const found = text.indexOf(piece, at);
    at = found + piece.length;
    return found >= 0;
  });
}

test("each error that is made has a message of the page", () => {
  // Without words of its own an error passes on the words of another.
  const worded = madeErrors().filter(({ text }) =>
    text.split("…").some((literal) => /[a-z]+ [a-z]+/i.test(literal.replace("; nothing was created", ""))),
  );
  expect(worded.length).toBeGreaterThan(50);
  expect(worded.filter(({ text }) => !messages.some((pieces) => hasInOrder(text, pieces)))).toEqual([]);
});

test.each([
  "Configuration",
  "Inputs",
  "Errors of the program",
  "What cannot change",
  "Other refusals",
  "Answers that cannot be used",
  "Commands",
])("each message under %s is in the sources", (title) => {
  const told = firsts(title).map((message) => message.split("…").map((piece) => piece.trim()));
  expect(told.length).toBeGreaterThan(0);
  expect(told.filter((pieces) => !sources.some(({ text }) => hasInOrder(text, pieces)))).toEqual([]);
});

test("the headings that messages name are there", () => {
  const named = sources.flatMap(({ text }) => [...text.matchAll(/(docs\/[\w-]+\.md), \\?"([^"\\]+)/g)]);
  expect(named.length).toBeGreaterThan(0);
  for (const [, file = "", heading = ""] of named) {
    expect(readFileSync(path.join(root, file), "utf8")).toMatch(new RegExp(`^## ${heading}$`, "m"));
  }
});
