// Generates the table of repeats in docs/reliability-details.md from the operations' rows and the retry rules.
import type { Operation } from "../../provider/api/operations/operation.ts";
import type * as Retry from "../../provider/api/http/retry.ts";
import { alignedTable, withBlock } from "./block.ts";

type Repeat = keyof typeof Retry.repeats;

export interface Sources {
  operationList: readonly Operation<unknown, unknown>[];
  repeats: typeof Retry.repeats;
  BACKOFF: typeof Retry.BACKOFF;
  BUDGET: typeof Retry.BUDGET;
}

/** What each `repeat` value of an operation leaves to the caller. */
const AFTER_SILENCE: Readonly<Record<Repeat, string>> = {
  idempotent: "sent again until the deadline",
  sameValue: "sent again until the deadline, with the same value",
  readFirst: "the object is read first; sent again only if the change is neither there nor under way",
  notIdempotent: "not sent again; the list is watched for 60 seconds for the one new object",
};

/** The document with its table for the present sources. */
export function writeRepeats(document: string, sources: Sources): string {
  return withBlock(document, "repeats", tableOf(sources));
}

function tableOf({ operationList, repeats, BACKOFF, BUDGET }: Sources): string {
  const rows = operationList.map(({ name, method, documented, repeat }) => [
    `\`${name}\`${documented ? "" : " ¹"}`,
    method,
    repeats[repeat].unsent ? "again" : "no",
    repeats[repeat].rate ? "again, after `Retry-After`" : "no",
    silenceOf(repeat, repeats),
  ]);
  const head = ["operation", "method", "it never left", "429", "no answer, half an answer, 5xx"];
  const seconds = (ms: number): string => `${ms / 1_000} s`;
  return [
    ...alignedTable([head, ...rows]),
    "",
    "¹ The contract does not show it; a server may lack it.",
    "",
    `Before the n-th repeat comes a random pause of up to ${seconds(BACKOFF.firstMs)} × 2ⁿ⁻¹, at most ${seconds(BACKOFF.capMs)} (full jitter), or as long as \`Retry-After\` says, at most two minutes. All calls of a client share one retry budget of ${BUDGET.most}: a retry costs ${BUDGET.retry}, one after a timeout ${BUDGET.timeout}, and each success pays back ${BUDGET.success}. One path spends at most ${BUDGET.each} until it succeeds. A retry that the budget does not cover waits at least ${seconds(BACKOFF.capMs)}.`,
  ].join("\n");
}

function silenceOf(repeat: Repeat, repeats: Sources["repeats"]): string {
  const isAgain = AFTER_SILENCE[repeat].startsWith("sent again");
  if (isAgain !== repeats[repeat].unknown) throw new Error(`"${repeat}" is told otherwise than it is done`);
  return AFTER_SILENCE[repeat];
}
