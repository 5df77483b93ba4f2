// Each error that a user can meet has a section on the page of errors, with words of its message, and each section is met.

import { readdirSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import {
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
import { explain, sectionsIn } from "../../provider/domain/explain";
import { root, textOf } from "../support/repository";

const page = textOf("docs/errors.md");
const rows = new Map(sectionsIn(page).flatMap(({ sections }) => sections.map((section) => [section.name, section])));

test("the page of errors has each name once, in the order of the type, and each is a few plain words", () => {
  const names = textOf("provider/domain/errorName.ts").match(/(?<=\| ")[^"]+/g) ?? [];
  expect([...rows.keys()]).toEqual(names);
  for (const name of names) expect(name).toMatch(/^[a-z]+(?:-[a-z]+){0,3}$/);
});

test("the page of errors has each code, with its class", () => {
  const errors: Record<ErrorCode, ProviderError> = {
    CONFIG: new ConfigError("setting-missing", ""),
    INPUT: new InputError("invalid-input", "", ""),
    TRANSPORT: new TransportError("", "no", ""),
    API: new ApiError({ operation: "", status: 400, category: "badRequest" }, ""),
    CONTRACT: new ContractError("broken-answer", "", ""),
    WAIT: new WaitError("timed-out", "timeout", ""),
    OUTCOME_UNKNOWN: new OutcomeUnknownError(""),
    PARTIAL: new PartialError("", {}, ""),
    REFUSED: new RefusedError("protected", ""),
  };
  const told = [...page.matchAll(/^\| `([A-Z_]+)` +\| `(\w+)`/gm)].map(([, code, name]) => [code, name]);
  expect(told).toEqual(Object.entries(errors).map(([code, { name }]) => [code, name]));
  for (const [code, error] of Object.entries(errors)) expect(error.code).toBe(code);
});

const sources = ["provider", "cli", "plugin"].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => ({ name: `${folder}/${name}`, text: textOf(folder, name) }))
    .filter(({ name }) => name !== "provider/domain/errorName.ts"),
);

interface MadeError {
  file: string;
  /** The class, or the function that makes it. */
  by: string;
  literals: readonly string[];
  /** Whether it has the name of another error. */
  isPassedOn: boolean;
}

/** Classes and functions of which all have one name. */
const NAMES: Readonly<Record<string, string>> = {
  TransportError: "no-answer",
  OutcomeUnknownError: "outcome-unknown",
  missingInput: "missing-input",
  invalidInput: "invalid-input",
};

/** Each error that the sources make. */
const made: readonly MadeError[] = sources.flatMap(({ name: file, text }) => {
  const found: MadeError[] = [];
  const visit = (node: ts.Node): void => {
    const by = makerOf(node);
    if (by !== undefined) {
      found.push({ file, by, literals: literalsOf(node), isPassedOn: node.getText().includes(".errorName") });
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return found;
});

/** What makes an error here; an object with the name of an error is one that its receiver makes. */
function makerOf(node: ts.Node): string | undefined {
  if (ts.isObjectLiteralExpression(node)) {
    const isNamed = node.properties.some((one) => ts.isPropertyAssignment(one) && one.name.getText() === "errorName");
    return isNamed ? "errorName" : undefined;
  }
  if (ts.isCallExpression(node)) {
    const by = node.expression.getText();
    return /^(?:programError|inputError)$/.test(by) || by in NAMES ? by : undefined;
  }
  const by = ts.isNewExpression(node) ? node.expression.getText() : "";
  return /(?:Error|Failure)$/.test(by) ? by : undefined;
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

/** Whether a text has the pieces of these words in this order. */
function hasWords(text: string, words: string): boolean {
  let at = 0;
  return words.split("…").every((piece) => {
    const found = text.indexOf(piece.trim(), at);
    at = found + piece.trim().length;
    return found >= 0;
  });
}

const OF_THE_TABLE =
  /^(?:(?:Config|Input|Refused|Missing|Transport|Api|Contract|Wait|OutcomeUnknown|Partial|Provider)Error|programError|inputError|errorName)$/;
const isOfTable = (by: string): boolean => OF_THE_TABLE.test(by) || by in NAMES;

describe("each error that is made", () => {
  test("has a name of the page, which its class demands", () => {
    const others = made.filter(({ by }) => !isOfTable(by)).map(({ file, by }) => `${by} in ${file}`);
    expect(others.filter((one) => !OTHERS.some((known) => one.startsWith(known)))).toEqual([]);
    expect(OTHERS.filter((known) => !others.some((one) => one.startsWith(known)))).toEqual([]);
  });

  test("has words of its row", () => {
    // Without words of its own an error passes on the words of another.
    const worded = made.filter(
      ({ by, literals, isPassedOn }) =>
        isOfTable(by) &&
        !isPassedOn &&
        literals.some((one) => / [a-z]+ [a-z]+|^[a-z]+ [a-z]+/i.test(one.replace("; nothing was created", ""))),
    );
    expect(worded.length).toBeGreaterThan(60);
    const isTold = ({ by, literals }: MadeError): boolean => {
      const text = literals.join("…");
      const names = [...literals, NAMES[by] ?? ""];
      const looks = names.flatMap((one) => rows.get(one)?.looks ?? []);
      return looks.some((words) => hasWords(text, words));
    };
    expect(worded.filter((one) => !isTold(one))).toEqual([]);
  });
});

/** What no user sees as it is. */
const OTHERS = [
  // Followed by the line that names `--help`.
  "UsageError in cli",
  // The forms in which Pulumi gets an error of the page.
  "messages.CheckFailure in plugin/server.ts",
  "ShownError in provider/host/shapes.ts",
  "ShownPartialError in provider/host/shapes.ts",
  "pulumi.RunError in provider/pulumi/invocation.ts",
  "pulumi.RunError in provider/pulumi/programError.ts",
  // Caught, and turned into an error of the page.
  "ExchangeFailure in provider/api/http",
  "Error in provider/api/postgres/probe.ts",
  "Error in provider/domain/values/abort.ts",
  "Error in provider/host/runFiles.ts",
  "Error in provider/domain/errors.ts",
];

/** The texts among which the names of made errors are. */
const namers = new Set([
  ...made.flatMap(({ literals }) => literals),
  ...sources
    .filter(({ text }) => /\bErrorName\b/.test(text))
    .flatMap(({ text }) => text.match(/(?<=")[a-z-]+(?=")/g) ?? []),
]);

test.each([...rows])("%s is made somewhere, looks as told, and is explained", (name, { looks, text }) => {
  expect(namers).toContain(name);
  expect(looks.filter((words) => !sources.some((source) => hasWords(source.text, words)))).toEqual([]);
  expect(explain(page, name)).toEqual({ isFound: true, text: expect.stringContaining(text) as string });
});
