// Preloaded by the provider processes of the recordings: appends two lines for each call of the engine to a file, one when
// it comes in and one when it is answered. It stands where the process meets the engine, so it sees what the engine calls,
// whatever the handlers make of it. It notes names and counts only, so that no value gets into the file.
const { appendFileSync } = require("node:fs");
const Module = require("node:module");
const { isDeepStrictEqual } = require("node:util");

/** @typedef {Record<string, unknown>} Values */
/** @typedef {{ toJavaScript(): Values }} Struct */
/**
 * What the messages of the calls have in common; each has a part of it.
 * @typedef {object} Message
 * @property {() => string} getUrn
 * @property {() => string} [getId]
 * @property {() => Struct | undefined} [getOlds]
 * @property {() => Struct | undefined} [getNews]
 * @property {() => Struct | undefined} [getOldInputs]
 */
/**
 * @typedef {object} Answer
 * @property {() => string} [getId]
 * @property {() => unknown[]} [getFailuresList]
 * @property {() => number} [getChanges]
 * @property {() => string[]} [getReplacesList]
 * @property {() => boolean} [getDeletebeforereplace]
 */
/** @typedef {(error: unknown, answer?: Answer) => void} Callback */
/** @typedef {(call: { request: Message }, callback: Callback) => unknown} Handler */
/** @typedef {Record<string, Handler>} Service */

const CALLS = ["check", "diff", "create", "read", "update", "delete"];
/**
 * These the engine sends side by side. Each is held back this long, so that those that it sends together are under way
 * together, however fast the handlers are.
 */
const HELD = ["read", "delete"];
const HOLD_MS = 150;
/** Pulumi: stands for a value that is not known yet. */
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

let count = 0;

/** @param {Values} line */
function write(line) {
  appendFileSync(process.env["RECORDED_CALLS"] ?? "", `${JSON.stringify({ process: process.pid, ...line })}\n`);
}

/** @param {string} method @param {Handler} handler @returns {Handler} */
function recorded(method, handler) {
  return (call, callback) => {
    const number = count++;
    write({ call: number, method, ...asked(method, call.request) });
    /** @type {Callback} */
    const answer = (error, answered) => {
      write({ call: number, ...(answered ? given(method, call.request, answered) : { answer: "an error" }) });
      callback(error, answered);
    };
    if (!HELD.includes(method)) return handler(call, answer);
    return setTimeout(() => handler(call, answer), HOLD_MS);
  };
}

/** @param {string} method @param {Message} request */
function asked(method, request) {
  const olds = request.getOlds?.()?.toJavaScript() ?? {};
  const news = request.getNews?.()?.toJavaScript() ?? {};
  return {
    urn: request.getUrn(),
    id: request.getId?.(),
    isFirst: method === "check" && Object.keys(olds).length === 0,
    unknown: Object.keys(news).filter((key) => JSON.stringify(news[key] ?? null).includes(UNKNOWN)),
  };
}

/** @param {string} method @param {Message} request @param {Answer} answer */
function given(method, request, answer) {
  if (method === "check") return (answer.getFailuresList?.() ?? []).length > 0 ? { answer: "an error" } : {};
  if (method === "create") return { id: answer.getId?.() };
  if (method === "read") return answer.getId?.() === "" ? { answer: "gone" } : {};
  return method === "diff" ? { answer: difference(request, answer) } : {};
}

/** What the engine makes of an answer: 0 is "compare the inputs", 1 is "nothing", 2 is "something". */
const NOTHING = 1;
const SOMETHING = 2;

/** @param {Message} request @param {Answer} answer */
function difference(request, answer) {
  const changes = answer.getChanges?.();
  const inputs = [request.getOldInputs?.(), request.getNews?.()].map((struct) => struct?.toJavaScript());
  const isEqual = isDeepStrictEqual(inputs[0], inputs[1]);
  if (changes === NOTHING || (changes !== SOMETHING && isEqual)) return "nothing";
  const replaces = answer.getReplacesList?.() ?? [];
  if (replaces.length === 0) return "update";
  return answer.getDeletebeforereplace?.() ? "deleteBeforeReplace" : "replace";
}

/** @typedef {(this: unknown, definition: unknown, service: Service) => void} AddService */

/** @param {{ Server: { prototype: { addService: AddService } } }} grpc */
function recordServices({ Server }) {
  const { addService } = Server.prototype;
  /** @type {AddService} */
  Server.prototype.addService = function (definition, service) {
    for (const method of CALLS) {
      const handler = service[method];
      if (handler !== undefined) service[method] = recorded(method, handler.bind(service));
    }
    addService.call(this, definition, service);
  };
}

if (/[\\/]cmd[\\/]dynamic-provider/.test(process.argv[1] ?? "")) {
  const loader = /** @type {{ _load: (request: string, ...others: unknown[]) => unknown }} */ (
    /** @type {unknown} */ (Module)
  );
  const { _load: load } = loader;
  let isRecording = false;
  loader._load = (request, ...others) => {
    const loaded = load.call(loader, request, ...others);
    if (request === "@grpc/grpc-js" && !isRecording) {
      isRecording = true;
      recordServices(/** @type {Parameters<typeof recordServices>[0]} */ (loaded));
    }
    return loaded;
  };
}
