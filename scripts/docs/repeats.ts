// Generates the table of repeats in docs/internals/reliability.md from the operations' rows and the retry rules.
import type { Operation, Repeat } from "../../provider/api/operations/operation.ts";
import type * as Exchange from "../../provider/api/http/exchange.ts";
import { alignedTable, withBlock } from "./block.ts";

export interface Sources {
  operationList: readonly Operation<unknown, unknown>[];
  BACKOFF: typeof Exchange.BACKOFF;
}

/** What the provider does after no answer, by the `repeat` value of a change. */
const AFTER_SILENCE: Readonly<Record<Repeat, string>> = {
  idempotent: "the object is read; sent again if it is there, after a new look",
  sameValue: "sent again until the deadline, with the same value",
  readFirst: "the object is read first; sent again only if the change is neither there nor under way",
  notIdempotent: "not sent again; the list is watched for 60 seconds for the one new object",
};

/** The document with its table for the present sources. */
export function writeRepeats(document: string, sources: Sources): string {
  return withBlock(document, "repeats", tableOf(sources));
}

function tableOf({ operationList, BACKOFF }: Sources): string {
  const rows = operationList
    .filter(({ method }) => method !== "GET")
    .map(({ name, method, documented, repeat }) => [
      `\`${name}\`${documented ? "" : " ¹"}`,
      method,
      AFTER_SILENCE[repeat],
    ]);
  const head = ["operation", "method", "no answer, half an answer, 5xx"];
  const seconds = (ms: number): string => `${ms / 1_000} s`;
  return [
    ...alignedTable([head, ...rows]),
    "",
    "¹ The contract does not show it; a server may lack it.",
    "",
    `Before the n-th repeat comes a random pause of up to ${seconds(BACKOFF.firstMs)} × 2ⁿ⁻¹, at most ${seconds(BACKOFF.capMs)} (for a change at least half of it), or as long as \`Retry-After\` says, at most two minutes.`,
  ].join("\n");
}
