// Sends the reply over the socket, unchanged or as the fault alters it.

import { notFound, type Failure } from "../actions/failure";
import { kindNames, rowOf } from "../world/kinds";
import { isList, isReadInProject } from "./faultRules";
import type { FaultBeside, MemberForm, MainFault } from "./faults";
import type { RequestRecord } from "./requests";
import type { ServerResponse } from "node:http";

type ShownBody = Record<string, unknown>;

/** The reply as the faults alter it. */
export function altered(reply: Reply, record: RequestRecord, faults: readonly FaultBeside[]): Reply | Failure {
  const { text, headers } = reply;
  if (reply.status >= 300 || text === undefined || faults.length === 0) return reply;
  const hiding = faults.filter((fault) => fault.kind === "brownout");
  const members = faults.filter((fault) => fault.kind === "members");
  const cut = faults.find((fault) => fault.kind === "cut");
  const { params } = record;
  const parts = Object.keys(params).filter((name) => name !== "project_id");
  const own = parts.at(-1);
  const isHidden = (id: unknown): boolean => hiding.some(({ ids }) => ids === undefined || ids.includes(String(id)));
  const kind = isReadInProject(record) ? (isList(record) ? "lists" : "reads") : undefined;
  const shownOf = (objects: readonly unknown[]) => objects.filter((object) => !isHidden(idOf(object as ShownBody)));
  if (!isList(record) && own !== undefined && parts.some((part) => isHidden(params[part])))
    return notFound(kindNames.find((one) => rowOf(one).parameter === own) ?? "service");
  const show = (object: ShownBody): void => {
    const sets = object["read_replica_sets"];
    if (Array.isArray(sets)) object["read_replica_sets"] = shownOf(sets);
    const status = String(object["status"]);
    for (const { members: forms, in: where, ids, status: only } of members) {
      if (where !== undefined && where !== kind) continue;
      if (ids?.includes(idOf(object)) === false || (only !== undefined && only !== status)) continue;
      for (const [path, form] of Object.entries(forms)) setMember(object, path.split("."), form);
    }
  };
  const shownText = (): string => {
    const body: unknown = JSON.parse(text());
    const all = Array.isArray(body) ? shownOf(body) : body;
    const shown = cut && Array.isArray(all) ? all.slice(0, cut.rows) : all;
    for (const object of [shown].flat()) if (isObject(object)) show(object);
    return JSON.stringify(cut?.next === "member" ? { items: shown, next: nextPage } : shown);
  };
  const link = cut?.next === "header" && { Link: `<${nextPage}>; rel="next"` };
  return { ...reply, headers: { ...headers, ...link }, text: shownText };
}

/** Where the rest of a list is, seen from the list. */
const nextPage = "?page=2";

const idOf = (object: ShownBody): string => String(object["service_id"] ?? object["id"]);

const isObject = (value: unknown): value is ShownBody => typeof value === "object" && value !== null;

function setMember(object: ShownBody, [name = "", ...rest]: readonly string[], form: MemberForm): void {
  const value = object[name];
  if (rest.length > 0) {
    for (const inner of [value].flat()) if (isObject(inner)) setMember(inner, rest, form);
  } else if (form === "absent") delete object[name];
  else if (typeof form === "object") object[name] = form.value;
  else object[name] = form === "null" ? null : zeroOf(name, value);
}

/** By its value, or by its name where the answer does not show one. */
function zeroOf(name: string, value: unknown): unknown {
  if (Array.isArray(value) || /^(resources|read_replica_sets)$/.test(name)) return [];
  if (typeof value === "number" || /^(port|nodes|.*_count|.*_(millis|gbs|mb))$/.test(name)) return 0;
  if (typeof value === "boolean") return false;
  if (
    typeof value === "string" ||
    /^(status|created|environment|volume_type|.*_(id|message|cursor|code|password))$/.test(name)
  )
    return "";
  return {};
}

export interface Reply {
  readonly status: number;
  readonly headers: Record<string, string>;
  /** Writes the body when it is sent. Undefined: no body at all. */
  readonly text: (() => string) | undefined;
}

interface Delivery {
  readonly record: RequestRecord;
  readonly response: ServerResponse;
  readonly fault: MainFault | undefined;
  /** The control plane's own reply; undefined if the fault dropped the request before it took effect. */
  readonly own: Reply | undefined;
}

export const json = { "Content-Type": "application/json" };

export function deliver(delivery: Delivery): void {
  const { record, response, fault, own } = delivery;
  switch (fault?.kind) {
    case "lostBefore":
    case "lostAfter":
      return void response.destroy();
    case "stall":
      return;
    case "truncate":
      return sendHalf(delivery, own ?? { status: 200, headers: json, text: undefined });
    case "delay":
      return delay(delivery, fault.ms);
    case "status":
    case "html":
    case "garbage":
      return send(response, record, faultReply(fault));
    case "stuck":
    case undefined:
      if (own) send(response, record, own);
  }
}

function faultReply(fault: MainFault & { kind: "status" | "html" | "garbage" }): Reply {
  if (fault.kind === "html")
    return written(fault.status ?? 502, page(fault.status ?? 502), { "Content-Type": "text/html" });
  if (fault.kind === "garbage") {
    const body = fault.body === undefined ? "<html><body>It works!</body></html>" : fault.body;
    return written(fault.status ?? 200, body);
  }
  const body = fault.body ?? { code: "INJECTED", message: `injected status ${fault.status}` };
  return written(fault.status, body, fault.headers);
}

function written(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { status, headers: { ...json, ...headers }, text: () => text };
}

function send(response: ServerResponse, record: RequestRecord, reply: Reply): void {
  record.status = reply.status;
  const headers: Record<string, string | number> = { "X-Request-Id": record.id, ...reply.headers };
  const text = Buffer.from(reply.text?.() ?? "");
  if (reply.status !== 204) headers["Content-Length"] = text.length;
  response.writeHead(reply.status, headers);
  response.end(text);
}

/** Sends headers that promise the whole body, then half of the body. */
function sendHalf({ record, response }: Delivery, reply: Reply): void {
  const text = Buffer.from(reply.text?.() ?? '{"message":"cut"}');
  record.status = reply.status === 204 ? 200 : reply.status;
  const headers = { ...json, ...reply.headers, "Content-Length": text.length };
  response.writeHead(record.status, { "X-Request-Id": record.id, ...headers });
  response.write(text.subarray(0, Math.ceil(text.length / 2)), () => response.destroy());
}

function delay({ record, response, own }: Delivery, ms: number): void {
  const timer = setTimeout(() => own && send(response, record, own), ms);
  // The emulator or the client has ended the connection.
  response.once("close", () => clearTimeout(timer));
}

/** The page that a gateway in front of the control plane would send. */
const page = (status: number): string =>
  `<html><head><title>${status}</title></head><body><center><h1>${status}</h1></center><hr></body></html>\n`;
