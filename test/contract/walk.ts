// A walk through the operations of the contract: each is called once, and what the server shows afterwards is awaited. It
// knows a caller and nothing else, so that it can be aimed at any deployment.

import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { httpClientFor } from "../emulator/support/httpClient";
import { given, methodOf, objectOf, pathOf, rowNamed, type Kind, type Places, type Row } from "./operations";
import { ErrorBody, misfits } from "./shapes";

/** The ids met so far, by the names of the document's path parameters. */
export type Ids = Record<string, string>;

export interface Caller {
  call(row: Row, ids: Ids): Promise<unknown>;
  /** What the server shows of the object; undefined if it is gone. */
  read(kind: Kind, ids: Ids): Promise<unknown>;
}

export interface WalkOptions {
  projectId?: string | undefined;
  pollMs?: number;
  deadlineMs?: number;
}

const idOf: Record<Kind, string> = {
  vpc: "vpc_id",
  peering: "peering_id",
  service: "service_id",
  replicaSet: "replica_set_id",
};

export async function walk(rows: readonly Row[], caller: Caller, options: WalkOptions = {}): Promise<void> {
  const ids: Ids = options.projectId === undefined ? {} : { project_id: options.projectId };
  const until = async (what: string, read: () => Promise<unknown>, fits: (found: unknown) => boolean) => {
    const deadline = Date.now() + (options.deadlineMs ?? 3_000);
    for (let found = await read(); !fits(found); found = await read()) {
      if (Date.now() > deadline) throw new Error(`${what}: still not so: ${JSON.stringify(found)}`);
      await sleep(options.pollMs ?? 2);
    }
  };
  const shows = (found: unknown, parts: Row["shows"] = {}): boolean =>
    Object.entries(parts).every(([path, wanted]) => isSame(at(found, path), filled(wanted, ids)));

  for (const row of rows) {
    const kind = objectOf(row);
    const answer = await caller.call(row, ids);
    if (row.name === "getProjects") ids["project_id"] ??= String(at(answer, "0.id"));
    if (row.creates && ids[idOf[row.creates]] === undefined)
      ids[idOf[row.creates]] = String(at(answer, "id") ?? at(answer, idOf[row.creates]));
    expect({ operation: row.name, answer, fits: shows(answer, row.gives) }).toMatchObject({ fits: true });
    const read = (of: Kind) => () => caller.read(of, ids);
    if (methodOf(row) === "DELETE" && kind) await until(row.name, read(kind), (found) => found === undefined);
    else if (methodOf(row) === "POST" && kind)
      await until(row.name, read(kind), (found) => isSettled(found) && shows(found, row.shows));
    else if ("list" in Object(row.answer)) {
      const listed = row.name === "getProjects" ? "project_id" : idOf[listedKind[row.name] ?? "service"];
      const isListed = (found: unknown): boolean => JSON.stringify(found).includes(JSON.stringify(ids[listed]));
      await until(row.name, () => caller.call(row, ids), isListed);
    }
    // A service is not idle while one of its sets changes.
    if (kind === "replicaSet") await until(row.name, read("service"), isSettled);
  }
}

const listedKind: Record<string, Kind> = { listVpcs: "vpc", listPeerings: "peering", listReplicaSets: "replicaSet" };

const isSettled = (found: unknown): boolean =>
  found !== undefined &&
  /^(READY|PAUSED|ACTIVE|CREATED|PENDING|UNDEFINED)$/.test(String(at(found, "status")).toUpperCase());

/** Deployments write words in their own case. */
const isSame = (value: unknown, wanted: unknown): boolean =>
  wanted === given
    ? value !== undefined
    : JSON.stringify([value]).toUpperCase() === JSON.stringify([wanted]).toUpperCase() &&
      (value === undefined) === (wanted === undefined);

/** The ids in place of their names. */
export const filled = (value: unknown, ids: Ids, encode: (id: string) => string = String): unknown =>
  typeof value === "string" ? value.replaceAll(/\{(\w+)\}/g, (_, name: string) => encode(ids[name] ?? name)) : value;

/** The value at a path like "spec.cpu_millis", undefined where anything on the way is absent or null. */
export function at(value: unknown, path: string): unknown {
  let current = value;
  for (const key of path.split(".")) {
    if (typeof current !== "object" || current === null) return undefined;
    current = new Map<string, unknown>(Object.entries(current)).get(key);
  }
  return current ?? undefined;
}

/** Plain HTTP. With `isOpen`, fields that the contract does not know are let through. */
export function httpCaller(target: { baseUrl: string; apiKey: string }, isOpen: boolean): Caller {
  const { call } = httpClientFor(target);
  const send = async (row: Row, ids: Ids) => {
    const sent =
      row.sends && Object.fromEntries(Object.entries(row.sends).map(([key, value]) => [key, filled(value, ids)]));
    const asked = new URLSearchParams(row.asks);
    const query = asked.size === 0 ? "" : `?${asked.toString()}`;
    return call(methodOf(row), `${String(filled(pathOf(row), ids, encodeURIComponent))}${query}`, sent);
  };
  const perform = async (row: Row, ids: Ids) => {
    const answer = await send(row, ids);
    expect(answer.status, `${row.name}: ${answer.text}`).toBeLessThan(300);
    const wrong = row.answer ? misfits(answer.json, row.answer, isOpen) : [];
    expect({ operation: row.name, wrong }).toEqual({ operation: row.name, wrong: [] });
    return answer.json;
  };
  const get: Record<Exclude<Kind, "replicaSet">, string> = {
    vpc: "getVpc",
    peering: "getPeering",
    service: "getService",
  };
  return {
    call: perform,
    async read(kind, ids) {
      if (kind === "replicaSet") return setIn(await perform(rowNamed("getService"), ids), "read_replica_sets", ids);
      const answer = await send(rowNamed(get[kind]), ids);
      if (answer.status === 404) expect(misfits(answer.json, { fields: ErrorBody }, true)).toEqual([]);
      return answer.status === 404 ? undefined : answer.json;
    },
  };
}

const setIn = (service: unknown, list: string, ids: Ids): unknown =>
  ((at(service, list) ?? []) as object[]).find((set) =>
    JSON.stringify(set).includes(JSON.stringify(ids["replica_set_id"])),
  );

export function placesOf(ids: Ids): Places {
  const { project_id: projectId = "", vpc_id: vpcId = "", service_id: serviceId = "" } = ids;
  const { peering_id: peeringId = "", replica_set_id: replicaSetId = "" } = ids;
  return {
    project: { projectId },
    vpc: { projectId, vpcId },
    peering: { projectId, vpcId, peeringId },
    service: { projectId, serviceId },
    set: { projectId, serviceId, replicaSetId },
  };
}
