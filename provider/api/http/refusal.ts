// Turns an answer that is not a 2xx into an ApiError with a category and a remedy: one table has both. `exchange.ts` decides by the
// category whether the call is retried, and `core/busy.ts` what a change does. API: wording varies, so the status
// decides. The words decide only if one status means several things.

import { STATUS_CODES } from "node:http";
import { CHECK_ID, waysToSet } from "../../domain/config/remedies";
import { type ApiCategory, ApiError, ContractError } from "../../domain/errors";
import { membersOf } from "../../domain/values/value";
import type { WireAnswer } from "./exchange";
import type { Body } from "../operations/answer";
import type { Secrets } from "./redaction";
import { parseRetryAfter } from "../serverTime";
import type { PendingCall } from "./state";

export function refusal<Input, Output>(call: PendingCall<Input, Output>, answer: WireAnswer): ApiError {
  const { client, request } = call;
  const { secrets } = client;
  const { subject } = request;
  const { status, headers } = answer;
  const said = readRefusal(answer, call.url);
  const { category, remedy } = meaningOf(status, said);
  const details = {
    operation: subject.operation,
    status,
    category,
    apiCode: said.code && secrets.excerpt(said.code),
    apiMessage: said.message && secrets.excerpt(said.message),
    requestId: requestIdOf(answer, secrets),
    saysBusy: category === "conflict" && BUSY.test(wordsOf(said.code, said.message)),
    retryAfterMs: parseRetryAfter(headers["retry-after"], client.serverTime.epochMs(), headers["date"]),
  };
  const words = wordsOf(details.apiCode, details.apiMessage) || (STATUS_CODES[status] ?? "without a message");
  const tail = details.requestId === undefined ? "" : ` Request id ${details.requestId}`;
  const hint = remedy?.({ call, answer, isForeign: said.isForeign });
  return new ApiError(details, `${subject.label}: ${status} ${ended(words)}${tail}`, hint);
}

/** The answer of a server that has no such object. */
export function isMissing(url: URL, answer: WireAnswer): boolean {
  return meaningOf(answer.status, readRefusal(answer, url)).category === "notFound";
}

function wordsOf(...words: readonly (string | undefined)[]): string {
  return words.filter((word) => word !== undefined && word !== "").join(" ");
}

const ID_HEADERS = ["x-request-id", "request-id", "x-correlation-id", "x-amzn-requestid", "x-amz-cf-id", "cf-ray"];

export function requestIdOf(answer: WireAnswer, secrets: Secrets): string | undefined {
  const id = ID_HEADERS.map((name) => answer.headers[name]).find(Boolean);
  return id && secrets.excerpt(id);
}

interface Said {
  code?: string | undefined;
  message?: string | undefined;
  /** The API's own errors are JSON; other answers can come from a proxy on the way. */
  isForeign: boolean;
}

function readRefusal(answer: WireAnswer, url: URL): Said {
  const redirect = redirectTarget(answer, url);
  if (redirect !== undefined) return { message: redirect, isForeign: true };
  const text = answer.text.trim();
  if (isHtml(text)) return { message: PAGE, isForeign: true };
  const json = parseJson(text);
  if (json === undefined) return { message: text === "" ? undefined : text, isForeign: true };
  return { ...wordsIn(json), isForeign: false };
}

function wordsIn(json: unknown): Omit<Said, "isForeign"> {
  const outer = membersOf(json);
  const inner = typeof outer["error"] === "string" ? { message: outer["error"] } : membersOf(outer["error"]);
  const first = (...keys: readonly string[]): string | undefined =>
    [outer, inner].flatMap((said) => keys.map((key) => readable(said[key]))).find((text) => text !== undefined);
  return { code: first("code"), message: first("message", "detail", "details", "title") };
}

function readable(value: unknown): string | undefined {
  return (["string", "number"].includes(typeof value) && String(value).trim()) || undefined;
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
  const said = `${status} ${client.secrets.excerpt(words)}`;
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

const PAGE = "an HTML page, perhaps of a proxy";

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

function redirectTarget(answer: WireAnswer, url: URL): string | undefined {
  if (answer.status < 300 || answer.status > 399) return undefined;
  const location = answer.headers["location"] ?? "";
  const target = URL.canParse(location, url.href) ? new URL(location, url).origin : "another place";
  return `the server redirects to ${target}; the key is not sent there`;
}

/** API: the words of a server that is busy with another change, as a sentence or as a code. */
const BUSY =
  /already being updated|operation[\s_-]*(?:is[\s_-]*)?(?:already[\s_-]*)?in[\s_-]*progress|holds?[\s_-]*(?:an[\s_-]*)?exclusive[\s_-]*lock/i;

interface Asked {
  call: Pick<PendingCall<unknown, unknown>, "client" | "request" | "url">;
  answer: WireAnswer;
  isForeign: boolean;
}

type Remedy = (asked: Asked) => string | undefined;

interface Meaning {
  /** Default: every status fits. */
  status?: RegExp;
  /** What the code and the message say. Default: anything. */
  words?: RegExp;
  category: ApiCategory;
  /** What to do; where nothing is known, the server's words stand alone. */
  remedy?: Remedy;
}

const NOT_ALLOWED = "The API key is not allowed to do this: it may belong to another project.";
const KEY_WORDS =
  /^$|\b(?:api.?key|permissions?|forbidden|denied|allowed|(?:un)?authori[sz]\w*|access|credentials?|tokens?|scopes?)\b/i;
const GONE = /no service with that id exists|no vpc with that id was found|target vpc does not exist/i;

/** The first row decides that fits both the status and the words. */
const MEANINGS: readonly Meaning[] = [
  { status: /^401/, category: "auth", remedy: otherKey("The server does not accept the API key.") },
  // Some servers refuse a change during another one as if it were forbidden.
  { words: BUSY, category: "conflict" },
  // A key without read permission is never told what exists, so none of its answers means "gone".
  { status: /^403/, words: KEY_WORDS, category: "forbidden", remedy: otherKey(NOT_ALLOWED) },
  { status: /^402|^403/, category: "forbidden" },
  { words: /missing project permission/i, category: "forbidden", remedy: otherKey(NOT_ALLOWED) },
  { words: /doesn't yet have any backups or snapshots available/i, category: "tooEarly" },
  // API: occurs while addresses move after a VPC change, also with a 404. It is transient, and not a refusal.
  { words: /no endpoint for that service id exists/i, category: "server" },
  { status: /^429/, category: "rate" },
  { status: /^4/, words: GONE, category: "notFound", remedy: otherPlace },
  { status: /^404|^410/, category: "notFound", remedy: otherPlace },
  { status: /^405|^501/, category: "absentRoute", remedy: (asked) => (isElsewhere(asked) ? noApi(asked) : undefined) },
  { status: /^408|^5/, category: "server" },
  { status: /^409|^412|^423|^425/, category: "conflict" },
  {
    status: /^407/,
    category: "badRequest",
    remedy: () => "A proxy asks for credentials: check HTTPS_PROXY and NO_PROXY.",
  },
  { status: /^3/, category: "badRequest", remedy: noApi },
];

function meaningOf(status: number, { code, message }: Said): Meaning {
  const words = wordsOf(code, message).replaceAll("’", "'");
  const fits = (row: Meaning): boolean => row.status?.test(`${status}`) !== false && row.words?.test(words) !== false;
  return MEANINGS.find(fits) ?? { category: "badRequest" };
}

function otherKey(why: string): Remedy {
  return ({ call }) => `${why} ${call.client.keyRemedy}`;
}

function otherPlace(asked: Asked): string {
  if (isElsewhere(asked) || (asked.isForeign && asked.answer.status === 404)) return noApi(asked);
  return isOfProject(asked.call.url) ? `Check the project id. ${waysToSet("projectId")}` : CHECK_ID;
}

/** The list of projects is missing only if the API is. */
function isElsewhere({ call: { url } }: Asked): boolean {
  return !/\/v\d+\//.test(url.pathname) || url.pathname.endsWith("/projects");
}

function noApi({ call: { url } }: Asked): string {
  return `${url.origin}${url.pathname} is not part of the API: ${CHECK_URL}`;
}

export const CHECK_URL =
  "check the base URL (DBCLOUD_BASE_URL), which ends in the version segment, like https://…/api/v1, and whether a proxy answers in its place.";

/** A collection is missing only if its project is. */
export function isOfProject(url: URL): boolean {
  return /\/projects\/[^/]+\/[^/]+$/.test(url.pathname);
}

function ended(sentence: string): string {
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}
