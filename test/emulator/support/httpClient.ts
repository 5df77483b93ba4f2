// A bare HTTP caller for tests of the emulator: no client of ours in between, so that the wire itself is tested.

import { request } from "node:http";
import type { Emulator } from "../../../emulator/index";

export type Json = Record<string, unknown>;

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed body; undefined where there is none or it is not JSON. */
  json: unknown;
}

export interface CallOptions {
  token?: string | undefined;
  /** Sent as it is, instead of a JSON body. */
  rawBody?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export interface HttpClient {
  call: (method: string, path: string, body?: unknown, options?: CallOptions) => Promise<Answer>;
  /** The body of an answer that must have this status. */
  ask: (status: number, method: string, path: string, body?: unknown) => Promise<Json>;
  /** The same for arrays. */
  askList: (path: string) => Promise<Json[]>;
}

export function httpClientFor(target: { baseUrl: string; apiKey: string }): HttpClient {
  const call: HttpClient["call"] = async (method, path, body, options = {}) => {
    const token = "token" in options ? options.token : target.apiKey;
    const headers: Record<string, string> = { ...options.headers };
    if (token !== undefined) headers["authorization"] ??= `Bearer ${token}`;
    const text = options.rawBody ?? (body === undefined ? undefined : JSON.stringify(body));
    if (text !== undefined) headers["content-type"] ??= "application/json";
    const response = await fetch(target.baseUrl + path, {
      method,
      headers,
      redirect: "manual",
      ...(text === undefined ? {} : { body: text }),
      ...(options.signal ? { signal: options.signal } : {}),
    });
    return answerOf(response, await response.text());
  };
  const ask: HttpClient["ask"] = async (status, method, path, body) => {
    const answer = await call(method, path, body);
    if (answer.status !== status)
      throw new Error(`${method} ${path}: ${answer.status} instead of ${status}: ${answer.text}`);
    return (answer.json ?? {}) as Json;
  };
  const askList: HttpClient["askList"] = async (path) => {
    const listed: unknown = await ask(200, "GET", path);
    if (!Array.isArray(listed)) throw new Error(`GET ${path}: not an array`);
    return listed as Json[];
  };
  return { call, ask, askList };
}

/** The status of a request with what `fetch` cannot send: another `Host`, as a browser's page does, or a GET with a body. */
export function bareStatus(url: string, headers: Record<string, string>, body = ""): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = body === "" ? headers : { ...headers, "content-length": String(body.length) };
    request(url, { headers: sent }, (response) => resolve(response.resume().statusCode))
      .once("error", reject)
      .end(body);
  });
}

function answerOf(response: Response, text: string): Answer {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  return { status: response.status, headers: response.headers, text, json };
}

/** A clock that only a test moves. */
export interface ManualClock {
  now: () => number;
  advance(ms: number): void;
}

export function manualClock(start = Date.parse("2026-03-01T12:00:00Z")): ManualClock {
  let at = start;
  return {
    now: () => at,
    advance(ms) {
      at += ms;
    },
  };
}

/** Paths of the emulator's default project. */
export function pathsOf(emulator: Emulator) {
  const project = `/projects/${emulator.projectId}`;
  const vpc = (id: string) => `${project}/vpcs/${id}`;
  const service = (id: string) => `${project}/services/${id}`;
  return {
    vpcs: `${project}/vpcs`,
    vpc,
    peerings: (vpcId: string) => `${vpc(vpcId)}/peerings`,
    peering: (vpcId: string, id: string) => `${vpc(vpcId)}/peerings/${id}`,
    services: `${project}/services`,
    service,
    replicaSets: (id: string) => `${service(id)}/replicaSets`,
    replicaSet: (id: string, setId: string) => `${service(id)}/replicaSets/${setId}`,
  };
}
