// A run through every operation of the contract against a running server, by plain HTTP. It knows a base URL and a key
// and nothing else, so it can be aimed at any deployment; it creates one VPC, two services and what belongs to them.

import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { httpClientFor, type Answer, type Json } from "./httpClient";
import * as shapes from "./shapes";

export interface ContractTarget {
  baseUrl: string;
  apiKey: string;
  /** Default: the first project that the key sees. */
  projectId?: string;
  regionCode: string;
  pollMs: number;
  deadlineMs: number;
  /** Whether fields that the contract does not know are let through. */
  isOpen: boolean;
}

/** Method and path of every operation in the contract's tables. */
export const contractOperations = [
  "GET /projects",
  "GET /projects/{project_id}/vpcs",
  "POST /projects/{project_id}/vpcs",
  "GET /projects/{project_id}/vpcs/{vpc_id}",
  "DELETE /projects/{project_id}/vpcs/{vpc_id}",
  "POST /projects/{project_id}/vpcs/{vpc_id}/rename",
  "GET /projects/{project_id}/vpcs/{vpc_id}/peerings",
  "POST /projects/{project_id}/vpcs/{vpc_id}/peerings",
  "GET /projects/{project_id}/vpcs/{vpc_id}/peerings/{peering_id}",
  "DELETE /projects/{project_id}/vpcs/{vpc_id}/peerings/{peering_id}",
  "GET /projects/{project_id}/services",
  "POST /projects/{project_id}/services",
  "GET /projects/{project_id}/services/{service_id}",
  "POST /projects/{project_id}/services/{service_id}/attachToVPC",
  "POST /projects/{project_id}/services/{service_id}/detachFromVPC",
  "POST /projects/{project_id}/services/{service_id}/resize",
  "POST /projects/{project_id}/services/{service_id}/enablePooler",
  "POST /projects/{project_id}/services/{service_id}/disablePooler",
  "POST /projects/{project_id}/services/{service_id}/forkService",
  "POST /projects/{project_id}/services/{service_id}/updatePassword",
  "POST /projects/{project_id}/services/{service_id}/setEnvironment",
  "GET /projects/{project_id}/services/{service_id}/logs",
  "POST /projects/{project_id}/services/{service_id}/setHA",
  "POST /projects/{project_id}/services/{service_id}/stop",
  "POST /projects/{project_id}/services/{service_id}/replicaSets",
  "DELETE /projects/{project_id}/services/{service_id}/replicaSets/{replica_set_id}",
  "POST /projects/{project_id}/services/{service_id}/replicaSets/{replica_set_id}/resize",
  "POST /projects/{project_id}/services/{service_id}/replicaSets/{replica_set_id}/enablePooler",
  "POST /projects/{project_id}/services/{service_id}/replicaSets/{replica_set_id}/disablePooler",
  "POST /projects/{project_id}/services/{service_id}/replicaSets/{replica_set_id}/setEnvironment",
] as const;

type ContractOperation = (typeof contractOperations)[number];

export interface ContractRun {
  /** The ids met so far, by the names of the contract's path parameters. */
  ids: Record<string, string>;
  performed: Set<string>;
  target: ContractTarget;
  /** Performs an operation, expects a 2xx and the shape; `null` stands for "no body documented". */
  perform(operation: ContractOperation, shape: shapes.Type | null, body?: Json, query?: string): Promise<Json>;
  /** The same without an expectation; does not count as performed. */
  attempt(operation: string, body?: Json): Promise<Answer>;
  service(): Promise<Json>;
  /** Polls until the service is settled and fits. */
  settled(fits?: (service: Json) => boolean): Promise<Json>;
}

export function startContractRun(target: ContractTarget): ContractRun {
  const { call } = httpClientFor(target);
  const ids: Record<string, string> = {};
  const performed = new Set<string>();
  const pathOf = (template: string): string =>
    template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? `unknown-${name}`));
  const attempt: ContractRun["attempt"] = (operation, body) => {
    const [method = "", template = ""] = operation.split(" ");
    return call(method, pathOf(template), body);
  };
  const perform: ContractRun["perform"] = async (operation, shape, body, query = "") => {
    const answer = await attempt(`${operation}${query}`, body);
    expect(answer.status, `${operation}: ${answer.text}`).toBeGreaterThanOrEqual(200);
    expect(answer.status, `${operation}: ${answer.text}`).toBeLessThan(300);
    const misfits = shape ? shapes.misfits(answer.json, shape, target.isOpen) : [];
    expect({ operation, misfits }).toEqual({ operation, misfits: [] });
    performed.add(operation);
    return (answer.json ?? {}) as Json;
  };
  const service = async (): Promise<Json> =>
    perform("GET /projects/{project_id}/services/{service_id}", { fields: shapes.Service });
  const settled: ContractRun["settled"] = (fits = () => true) =>
    until(target, service, (found) => (found["status"] === "READY" || found["status"] === "PAUSED") && fits(found));
  return { ids, performed, target, perform, attempt, service, settled };
}

/** Polls until what is found fits. */
export async function until<T>(
  target: ContractTarget,
  read: () => Promise<T>,
  fits: (found: T) => boolean,
): Promise<T> {
  const deadline = Date.now() + target.deadlineMs;
  for (;;) {
    const found = await read();
    if (fits(found)) return found;
    if (Date.now() > deadline) throw new Error(`still not so after ${target.deadlineMs} ms: ${JSON.stringify(found)}`);
    await sleep(target.pollMs);
  }
}

/** The value at a path like "spec.cpu_millis", undefined where anything on the way is absent or null. */
export function at(value: unknown, path: string): unknown {
  let current = value;
  for (const key of path.split(".")) {
    if (typeof current !== "object" || current === null) return undefined;
    current = new Map<string, unknown>(Object.entries(current)).get(key);
  }
  return current;
}
