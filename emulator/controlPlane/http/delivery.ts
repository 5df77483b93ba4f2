// Sends the reply over the socket, unchanged or as the fault alters it.

import type { ServerResponse } from "node:http";
import type { MainFault } from "./faults";
import type { RequestRecord } from "./requests";

export interface Reply {
  readonly status: number;
  readonly headers: Record<string, string>;
  /** Undefined: no body at all. A function writes the text when it is sent. */
  readonly text: string | (() => string) | undefined;
}

interface Delivery {
  readonly record: RequestRecord;
  readonly response: ServerResponse;
  readonly fault: MainFault | undefined;
  /** The control plane's own reply; undefined if the fault dropped the request before it took effect. */
  readonly own: Reply | undefined;
  /** Real timers of delayed answers. */
  readonly delays: Set<NodeJS.Timeout>;
}

export const json = { "Content-Type": "application/json" };

export function deliver(delivery: Delivery): void {
  const { record, response, fault, own } = delivery;
  switch (fault?.kind) {
    case "lostBefore":
    case "lostAfter":
    case "down":
      response.destroy();
      return;
    case "stall":
      return;
    case "truncate":
      cut(delivery, own ?? { status: 200, headers: json, text: undefined });
      return;
    case "endless":
      pour(response, record);
      return;
    case "delay":
      delay(delivery, fault.ms);
      return;
    case "status":
    case "html":
    case "garbage":
    case "redirect":
      send(response, record, faultReply(fault));
      return;
    case "stuck":
    case "refusing":
    case undefined:
      if (own) send(response, record, own);
  }
}

function faultReply(fault: MainFault & { kind: "status" | "html" | "garbage" | "redirect" }): Reply {
  if (fault.kind === "redirect") {
    return { status: fault.status ?? 307, headers: { Location: fault.location }, text: undefined };
  }
  if (fault.kind === "html") return written(fault.status ?? 502, page(fault.status ?? 502), "text/html");
  if (fault.kind === "garbage") {
    const body = fault.body === undefined ? "<html><body>It works!</body></html>" : fault.body;
    return written(fault.status ?? 200, body, fault.contentType ?? "application/json");
  }
  const body = fault.body ?? { code: "INJECTED", message: `injected status ${fault.status}` };
  return written(fault.status, body, "application/json", fault.headers);
}

function written(status: number, body: unknown, contentType: string, headers: Record<string, string> = {}): Reply {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { status, headers: { "Content-Type": contentType, ...headers }, text };
}

function send(response: ServerResponse, record: RequestRecord, reply: Reply): void {
  record.status = reply.status;
  const headers: Record<string, string | number> = { "X-Request-Id": record.id, ...reply.headers };
  const text = bytesOf(reply, "");
  if (reply.status !== 204) headers["Content-Length"] = text.length;
  response.writeHead(reply.status, headers);
  response.end(text);
}

const bytesOf = ({ text }: Reply, otherwise: string): Buffer =>
  Buffer.from((typeof text === "function" ? text() : text) ?? otherwise);

/** Sends headers that promise the whole body, then half of the body. */
function cut({ record, response }: Delivery, reply: Reply): void {
  const text = bytesOf(reply, '{"message":"cut"}');
  record.status = reply.status === 204 ? 200 : reply.status;
  const headers = { ...json, ...reply.headers, "Content-Length": text.length };
  response.writeHead(record.status, { "X-Request-Id": record.id, ...headers });
  response.write(text.subarray(0, Math.ceil(text.length / 2)), () => response.destroy());
}

/** Streams a list that never ends, as fast as the client reads. */
function pour(response: ServerResponse, record: RequestRecord): void {
  const piece = '{"name":"and so on"},'.repeat(512);
  record.status = 200;
  response.writeHead(200, { "X-Request-Id": record.id, ...json });
  response.write("[");
  const more = (): void => {
    if (response.destroyed) return;
    response.write(piece, () => setImmediate(more));
  };
  more();
}

function delay({ record, response, own, delays }: Delivery, ms: number): void {
  const timer = setTimeout(() => {
    delays.delete(timer);
    if (own) send(response, record, own);
  }, ms);
  delays.add(timer);
}

/** The page that a gateway in front of the control plane would send. */
export const page = (status: number): string =>
  `<html><head><title>${status}</title></head><body><center><h1>${status}</h1></center><hr></body></html>\n`;
