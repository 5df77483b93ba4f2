// Turns an answer that is not a 2xx into an ApiError with a category. `exchange.ts` decides by the category whether the call is
// retried, and `lifecycle/converge/busy.ts` what a change does. API: wording varies, so the status decides. The words decide
// only if one status means several things.

import { STATUS_CODES } from "node:http";
import { BASE_URL, CHECK_ID, CHECK_PROJECT } from "../../domain/config/remedies";
import { type ApiCategory, ApiError, type ApiErrorDetails, ContractError } from "../../domain/errors";
import { membersOf } from "../../domain/values/value";
import type { WireAnswer } from "./exchange";
import type { Body } from "../operations/answer";
import { excerpt, type Redact } from "./redaction";
import { parseRetryAfter } from "./retryAfter";
import type { PendingCall } from "./state";

export function refusal<Input, Output>(
  { client, request, url }: PendingCall<Input, Output>,
  answer: WireAnswer,
): ApiError {
  const { redact } = client.secrets;
  const { subject } = request;
  const { status, headers } = answer;
  const said = readRefusal(answer, url);
  const category = categoryOf(status, said.message ?? "");
  const details = {
    operation: subject.operation,
    status,
    category,
    apiCode: said.code === undefined ? undefined : excerpt(said.code, redact),
    apiMessage: said.message === undefined ? undefined : excerpt(said.message, redact),
    requestId: requestIdOf(answer, redact),
    saysBusy: category === "conflict" && saysBusy(said.message ?? ""),
    retryAfterMs: parseRetryAfter(headers["retry-after"], client.serverTime.epochMs(), headers["date"]),
  };
  const words = wordsOf(details.apiCode, details.apiMessage) || (STATUS_CODES[status] ?? "without a message");
  const tail = details.requestId === undefined ? "" : ` Request id ${details.requestId}`;
  const hint = hintFor(details, said.foreign, url, client.keyRemedy);
  return new ApiError(details, `${subject.label}: ${status} ${ended(words)}${tail}`, hint);
}

/** The answer of a server that has no such object. */
export function isMissing(url: URL, answer: WireAnswer): boolean {
  return categoryOf(answer.status, readRefusal(answer, url).message ?? "") === "notFound";
}

function wordsOf(...words: readonly (string | undefined)[]): string {
  return words.filter((word) => word !== undefined && word !== "").join(" ");
}

const ID_HEADERS = ["x-request-id", "request-id", "x-correlation-id", "x-amzn-requestid", "x-amz-cf-id", "cf-ray"];

export function requestIdOf(answer: WireAnswer, redact: Redact): string | undefined {
  const id = ID_HEADERS.map((name) => answer.headers[name]).find((value) => value !== undefined && value !== "");
  return id === undefined ? undefined : excerpt(id, redact);
}

interface Said {
  code?: string | undefined;
  message?: string | undefined;
  /** The API's own errors are JSON; other answers can come from a proxy on the way. */
  foreign: boolean;
}

function readRefusal(answer: WireAnswer, url: URL): Said {
  const redirect = redirectTarget(answer, url);
  if (redirect !== undefined) return { message: redirect, foreign: true };
  const text = answer.text.trim();
  if (isHtml(text)) return { message: PAGE, foreign: true };
  const json = parseJson(text);
  if (json === undefined) return { message: text === "" ? undefined : text, foreign: true };
  return { ...wordsIn(json), foreign: false };
}

function wordsIn(json: unknown): Omit<Said, "foreign"> {
  const outer = membersOf(json);
  const inner = typeof outer["error"] === "string" ? { message: outer["error"] } : membersOf(outer["error"]);
  const first = (...keys: readonly string[]): string | undefined =>
    [outer, inner].flatMap((said) => keys.map((key) => readable(said[key]))).find((text) => text !== undefined);
  return { code: first("code"), message: first("message", "detail", "details", "title") };
}

function readable(value: unknown): string | undefined {
  return typeof value === "number"
    ? String(value)
    : typeof value === "string" && value.trim() !== ""
      ? value
      : undefined;
}

/** API: the `error` of an answer without one, by server. */
const NO_ERROR = ["null", "false", "0", '""', "{}", "[]"];

const SUCCESS = /^(?:[0-3]?\d?\d|ok|success\w*|accepted|done|completed?|created|updated|deleted)$/i;

/**
 * API: a server or a gateway may send the body of a refusal, or a page, with a 2xx. It proves neither that a change took effect
 * nor that it did not, and its words say what is wrong.
 */
export function refusalInSuccess<Input, Output>(
  { client, operation, request: { subject } }: PendingCall<Input, Output>,
  { status, text }: WireAnswer,
  body: Body,
): ContractError | undefined {
  // What needs a body says by itself that a page is none.
  const isPage = isHtml(text) && !operation.answer.needsBody;
  const words = isPage ? PAGE : refusalIn("json" in body ? body.json : undefined);
  if (words === "") return undefined;
  const said = `${status} ${excerpt(words, client.secrets.redact)}`;
  return new ContractError("broken-answer", subject.operation, `${subject.label}: ${ended(said)}`, undefined, said);
}

/** Empty if it is none. */
function refusalIn(json: unknown): string {
  if (typeof json !== "object" || json === null || "id" in json || "service_id" in json) return "";
  const { code, message } = wordsIn(json);
  const isSuccess =
    code === undefined ? NO_ERROR.includes(JSON.stringify(membersOf(json)["error"] ?? null)) : SUCCESS.test(code);
  return isSuccess ? "" : wordsOf(code, message);
}

const PAGE = "an HTML page";

/** API: answers are JSON, which no tag begins. */
export function isHtml(text: string): boolean {
  return /^\s*</.test(text);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function redirectTarget({ status, headers }: WireAnswer, url: URL): string | undefined {
  if (status < 300 || status > 399) return undefined;
  const location = headers["location"] ?? "";
  const target = URL.canParse(location, url.href) ? new URL(location, url).origin : "another place";
  return `the server redirects to ${target}; the key is not sent there`;
}

const BUSY = ["already being updated", "operation in progress", "operation is in progress"];

function saysBusy(message: string): boolean {
  return BUSY.some((text) => message.toLowerCase().includes(text));
}

/** Words that decide whatever the status is, in this order. */
const TEXTS: readonly (readonly [string, ApiCategory])[] = [
  ["missing project permission", "forbidden"],
  ["doesn't yet have any backups or snapshots available", "tooEarly"],
  // API: occurs while addresses move after a VPC change, also with a 404. It is transient, and not a refusal.
  ["no endpoint for that service id exists", "server"],
];

const GONE = ["no service with that id exists", "no vpc with that id was found", "target vpc does not exist"];

const STATUSES: Readonly<Record<number, ApiCategory>> = {
  401: "auth",
  402: "forbidden",
  403: "forbidden",
  404: "notFound",
  405: "absentRoute",
  408: "server",
  409: "conflict",
  410: "notFound",
  423: "conflict",
  429: "rate",
  501: "absentRoute",
};

function categoryOf(status: number, message: string): ApiCategory {
  const byStatus = STATUSES[status] ?? (status >= 500 ? "server" : "badRequest");
  if (byStatus === "auth") return byStatus;
  // Some servers refuse a change during another one as if it were forbidden.
  if (saysBusy(message)) return "conflict";
  // A key without read permission is never told what exists, so none of its answers means "gone".
  if (byStatus === "forbidden") return byStatus;
  const said = message.toLowerCase().replaceAll("’", "'");
  const byText = TEXTS.find(([text]) => said.includes(text));
  if (byText !== undefined) return byText[1];
  const isGone = status < 500 && byStatus !== "rate" && GONE.some((text) => said.includes(text));
  return isGone ? "notFound" : byStatus;
}

function hintFor(
  { category, status }: ApiErrorDetails,
  foreign: boolean,
  url: URL,
  keyRemedy: string,
): string | undefined {
  if (status === 407) return "A proxy asks for credentials: check HTTPS_PROXY and NO_PROXY.";
  const isAbsent = category === "notFound" || category === "absentRoute";
  // The list of projects is missing only if the API is.
  const isUnversioned = !/\/v\d+\//.test(url.pathname);
  const isElsewhere =
    (isAbsent && (isUnversioned || url.pathname.endsWith("/projects"))) || (foreign && status === 404);
  if (isElsewhere || (status >= 300 && status < 400)) {
    return `${url.origin}${url.pathname} is not part of the API: ${CHECK_URL}`;
  }
  if (category === "notFound") return isOfProject(url) ? CHECK_PROJECT : CHECK_ID;
  if (category === "auth") return `The server does not accept the API key. ${keyRemedy}`;
  if (category === "forbidden")
    return `The API key is not allowed to do this: it may belong to another project. ${keyRemedy}`;
  return undefined;
}

export const CHECK_URL = `check ${BASE_URL}, which ends in the version segment, like https://…/api/v1, and whether a proxy answers in its place.`;

/** A collection is missing only if its project is. */
export function isOfProject(url: URL): boolean {
  return /\/projects\/[^/]+\/[^/]+$/.test(url.pathname);
}

function ended(sentence: string): string {
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}
