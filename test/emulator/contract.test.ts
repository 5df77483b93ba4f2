// The contract, operation by operation, in an order in which each makes sense. Aimed at the emulator, or with
// CONTRACT_BASE_URL and CONTRACT_API_KEY at another server.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEmulator, type Emulator, type EmulatorOptions } from "../../emulator/index";
import {
  at,
  contractOperations,
  startContractRun,
  until,
  type ContractRun,
  type ContractTarget,
} from "./support/contractRun";
import type { Answer, Json } from "./support/httpClient";
import * as shapes from "./support/shapes";
import { startValidatingProxy, type ValidatingProxy } from "./support/validatingProxy";

const elsewhere = process.env["CONTRACT_BASE_URL"];

interface Place {
  name: string;
  options: EmulatorOptions;
  isOpen: boolean;
  /** Everything goes through a proxy that holds it against the emulator's own OpenAPI document. */
  isValidated?: boolean;
}

const places: Place[] = elsewhere
  ? [{ name: elsewhere, options: {}, isOpen: true }]
  : [
      { name: "emulator, full", options: {}, isOpen: false },
      { name: "emulator, documented", options: { profile: "documented" }, isOpen: false },
      { name: "emulator, held against its document", options: {}, isOpen: false, isValidated: true },
      { name: "emulator, stale reads", options: { stale: { reads: 3 }, listLag: { reads: 2 } }, isOpen: false },
      {
        name: "emulator, another generation",
        options: {
          switches: { vpcStatus: true, nullFields: true, unknownFields: true, vpcEndpointSpelling: "vpc_endpoint" },
        },
        isOpen: true,
      },
    ];

const message = { fields: shapes.Message };
const service = { fields: shapes.Service };
const inService = "/projects/{project_id}/services/{service_id}";
const inSet = `${inService}/replicaSets/{replica_set_id}` as const;
const inVpc = "/projects/{project_id}/vpcs/{vpc_id}";

describe.each(places)("contract on $name", ({ options, isOpen, isValidated }) => {
  let emulator: Emulator | undefined;
  let proxy: ValidatingProxy | undefined;
  let run: ContractRun;

  beforeAll(async () => {
    if (!elsewhere) emulator = await createEmulator({ ...options, seed: 11 });
    if (emulator && isValidated) {
      proxy = await startValidatingProxy(emulator.baseUrl, `${emulator.adminUrl}/control-plane/openapi.json`);
    }
    run = startContractRun({ ...targetOf(emulator, isOpen), ...(proxy && { baseUrl: proxy.baseUrl }) });
  });
  afterAll(async () => {
    await proxy?.close();
    await emulator?.close();
  });

  const replicaSet = async (): Promise<Json | undefined> => {
    const sets = at(await run.service(), "read_replica_sets") as Json[];
    return sets.find((set) => set["id"] === run.ids["replica_set_id"]);
  };
  const activeSet = (fits: (set: Json) => boolean = () => true): Promise<Json | undefined> =>
    until(run.target, replicaSet, (set) => set?.["status"] === "active" && fits(set));

  test("projects", async () => {
    const projects = await run.perform("GET /projects", { list: { fields: shapes.Project } });
    run.ids["project_id"] = run.target.projectId ?? String(at(projects, "0.id"));
    expect(JSON.stringify(projects)).toContain(JSON.stringify(run.ids["project_id"]));
  });

  test("create a VPC, read it, list it, rename it", async () => {
    const body = { cidr: "10.42.0.0/16", name: "walk", region_code: run.target.regionCode };
    const made = await run.perform("POST /projects/{project_id}/vpcs", { fields: shapes.Vpc }, body);
    run.ids["vpc_id"] = String(made["id"]);
    expect(made).toMatchObject(body);
    const isThere = (found: Json): boolean => found["name"] === "walk" && (found["status"] ?? "CREATED") === "CREATED";
    await until(run.target, () => run.perform(`GET ${inVpc}`, { fields: shapes.Vpc }), isThere);
    const list = (): Promise<Json> => run.perform("GET /projects/{project_id}/vpcs", { list: { fields: shapes.Vpc } });
    await until(run.target, list, (found) => JSON.stringify(found).includes(`"${made["id"] as string}"`));
    await run.perform(`POST ${inVpc}/rename`, message, { name: "walk-renamed" });
    await until(
      run.target,
      () => run.perform(`GET ${inVpc}`, { fields: shapes.Vpc }),
      (found) => found["name"] === "walk-renamed",
    );
  });

  test("create a peering, read it, list it", async () => {
    const body = {
      peer_account_id: "123456789012",
      peer_region_code: run.target.regionCode,
      peer_vpc_id: "vpc-0a1b2c3d4e5f",
    };
    const made = await run.perform(`POST ${inVpc}/peerings`, { fields: shapes.Peering }, body);
    expect(made).toMatchObject(body);
    run.ids["peering_id"] = String(made["id"]);
    const read = (): Promise<Json> => run.perform(`GET ${inVpc}/peerings/{peering_id}`, { fields: shapes.Peering });
    await until(run.target, read, (found) => typeof found["provisioned_id"] === "string");
    const list = (): Promise<Json> => run.perform(`GET ${inVpc}/peerings`, { list: { fields: shapes.Peering } });
    await until(run.target, list, (found) => JSON.stringify(found).includes("vpc-0a1b2c3d4e5f"));
  });

  test("create a service and wait until it is ready", async () => {
    const body = {
      name: "walk",
      addons: ["time-series"],
      cpu_millis: "500",
      memory_gbs: "2",
      environment_tag: "DEV",
      region_code: run.target.regionCode,
      replica_count: 0,
    };
    const made = await run.perform("POST /projects/{project_id}/services", service, body);
    expect(made).toMatchObject({ name: "walk", region_code: run.target.regionCode, service_type: "SERIESDB" });
    expect(made["initial_password"]).toMatch(/^.{16}$/);
    run.ids["service_id"] = String(made["service_id"]);
    const ready = await run.settled();
    expect(ready["initial_password"] ?? undefined).toBeUndefined();
    expect(at(ready, "metadata.environment")).toBe("DEV");
    expect(typeof at(ready, "endpoint.host")).toBe("string");
    const list = (): Promise<Json> => run.perform("GET /projects/{project_id}/services", { list: service });
    await until(run.target, list, (found) => JSON.stringify(found).includes(String(made["service_id"])));
  });

  test("resize", async () => {
    await run.perform(`POST ${inService}/resize`, service, { cpu_millis: "1000", memory_gbs: "4" });
    const resized = await run.settled((found) => at(found, "resources.0.spec.cpu_millis") === 1000);
    expect(at(resized, "resources.0.spec.memory_gbs")).toBe(4);
  });

  test("high availability", async () => {
    await run.perform(`POST ${inService}/setHA`, service, { replica_count: 2, sync_replica_count: 1 });
    const raised = await run.settled((found) => at(found, "ha_replicas.replica_count") === 2);
    expect(at(raised, "ha_replicas.sync_replica_count")).toBe(1);
    await run.perform(`POST ${inService}/setHA`, service, { replica_count: 0, sync_replica_count: 0 });
    const lowered = await run.settled((found) => (at(found, "ha_replicas.replica_count") ?? 0) === 0);
    expect(at(lowered, "ha_replicas.sync_replica_count") ?? 0).toBe(0);
  });

  test("pooler on and off", async () => {
    await run.perform(`POST ${inService}/enablePooler`, message);
    const on = await run.settled((found) => given(at(found, "connection_pooler.endpoint")));
    expect(at(on, "connection_pooler.endpoint.port")).not.toBe(at(on, "endpoint.port"));
    await run.perform(`POST ${inService}/disablePooler`, message);
    const off = await run.settled((found) => !given(at(found, "connection_pooler.endpoint")));
    expect(at(off, "endpoint.port")).toBe(at(on, "endpoint.port"));
  });

  test("environment and password", async () => {
    for (const environment of ["PROD", "DEV"]) {
      await run.perform(`POST ${inService}/setEnvironment`, message, { environment });
      const tagged = await run.settled((found) => at(found, "metadata.environment") === environment);
      expect(tagged["status"]).toBe("READY");
    }
    await run.perform(`POST ${inService}/updatePassword`, null, { password: "correct-horse-battery" });
  });

  test("into the VPC and out again", async () => {
    const vpc = { vpc_id: run.ids["vpc_id"] };
    await run.perform(`POST ${inService}/attachToVPC`, message, vpc);
    const inside = await run.settled((found) => given(at(found, "vpc_endpoint.vpc_id")));
    expect(at(inside, "vpc_endpoint.vpc_id")).toBe(run.ids["vpc_id"]);
    await run.perform(`POST ${inService}/detachFromVPC`, message, vpc);
    const outside = await run.settled((found) => !given(at(found, "vpc_endpoint.vpc_id")));
    expect(typeof at(outside, "endpoint.host")).toBe("string");
  });

  test("logs", async () => {
    const logs = { fields: shapes.Logs };
    await run.perform(`GET ${inService}/logs`, logs);
    const query =
      "?node=0&search=database&search=ready&severities=LOG&since=2020-01-01T00:00:00Z&until=2099-01-01T00:00:00Z";
    const found = await run.perform(`GET ${inService}/logs`, logs, undefined, query);
    expect((found["logs"] as string[]).length).toBeLessThanOrEqual(500);
  });

  test("fork, to keep a second service", async () => {
    const body = { fork_strategy: "NOW", name: "walk-fork", environment_tag: "DEV" };
    const made = await run.perform(`POST ${inService}/forkService`, service, body);
    expect(made["initial_password"]).toMatch(/^.{16}$/);
    expect(made["service_id"]).not.toBe(run.ids["service_id"]);
    expect(at(made, "forked_from.service_id")).toBe(run.ids["service_id"]);
  });

  test("read replica set: create, resize, pooler, environment, delete", async () => {
    const body = { cpu_millis: 500, memory_gbs: 2, name: "walk-replica", nodes: 1 };
    const made = await run.perform(`POST ${inService}/replicaSets`, { fields: shapes.ReadReplicaSet }, body);
    expect(made).toMatchObject(body);
    run.ids["replica_set_id"] = String(made["id"]);
    await activeSet();
    await run.perform(`POST ${inSet}/resize`, message, { cpu_millis: "1000", memory_gbs: "4" });
    expect((await activeSet((set) => set["cpu_millis"] === 1000))?.["memory_gbs"]).toBe(4);
    await run.perform(`POST ${inSet}/enablePooler`, message);
    await activeSet((set) => given(at(set, "connection_pooler.endpoint")));
    await run.perform(`POST ${inSet}/disablePooler`, message);
    await activeSet((set) => !given(at(set, "connection_pooler.endpoint")));
    await run.perform(`POST ${inSet}/setEnvironment`, message, { environment: "PROD" });
    await activeSet((set) => at(set, "metadata.environment") === "PROD");
    await run.perform(`DELETE ${inSet}`, null);
    await until(run.target, replicaSet, (set) => set === undefined);
    await run.settled();
  });

  test("stop", async () => {
    await run.perform(`POST ${inService}/stop`, service);
    expect((await run.settled((found) => found["status"] === "PAUSED"))["status"]).toBe("PAUSED");
  });

  test("delete peering and VPC", async () => {
    const isGone = (answer: Answer): boolean => answer.status === 404;
    await run.perform(`DELETE ${inVpc}/peerings/{peering_id}`, null);
    await until(run.target, () => run.attempt(`GET ${inVpc}/peerings/{peering_id}`), isGone);
    await run.perform(`DELETE ${inVpc}`, null);
    const gone = await until(run.target, () => run.attempt(`GET ${inVpc}`), isGone);
    expect(shapes.misfits(gone.json, { fields: shapes.ErrorBody }, true)).toEqual([]);
  });

  test("every operation was called", () => {
    expect([...run.performed].toSorted()).toEqual(contractOperations.toSorted());
    expect(proxy?.findings ?? []).toEqual([]);
    expect(proxy === undefined || proxy.checked() > contractOperations.length).toBe(true);
  });
});

/** API: an optional field may be absent or null. */
const given = (value: unknown): boolean => value !== undefined && value !== null;

function targetOf(emulator: Emulator | undefined, isOpen: boolean): ContractTarget {
  const regionCode = process.env["CONTRACT_REGION"] ?? "us-east-1";
  if (emulator) {
    const { baseUrl, apiKey, projectId } = emulator;
    return { baseUrl, apiKey, projectId, regionCode, pollMs: 2, deadlineMs: 3_000, isOpen };
  }
  const target = { baseUrl: elsewhere ?? "", apiKey: process.env["CONTRACT_API_KEY"] ?? "", regionCode, isOpen };
  const projectId = process.env["CONTRACT_PROJECT_ID"];
  return { ...target, pollMs: 2_000, deadlineMs: 45 * 60_000, ...(projectId === undefined ? {} : { projectId }) };
}
