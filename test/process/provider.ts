// The real dynamic provider process, spoken to over gRPC as the engine does it, without a CLI.

import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { credentials, type Metadata, type ServiceError } from "@grpc/grpc-js";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { type JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";
import { pulumiNode } from "../support/cli/nodeStart";
import type { Engine } from "./engine";

const root = path.resolve(__dirname, "../..");

export type Values = Record<string, unknown>;

/** What a failed call left with the engine. */
export interface Failure {
  message: string;
  /** A half-made object: what the engine keeps. */
  kept?: { id: string; properties: Values; reasons: string[] };
}

export type Provider = Awaited<ReturnType<typeof startProvider>>;

export interface ProviderOptions {
  engine?: Engine;
  /** Beside PATH; nothing of the test's own environment gets there. */
  environment?: Record<string, string>;
}

export async function startProvider({ engine, environment }: ProviderOptions) {
  const script = require.resolve("@pulumi/pulumi/cmd/dynamic-provider", { paths: [root] });
  const child = spawn(process.execPath, [script, engine?.address ?? "127.0.0.1:0"], {
    cwd: root,
    env: { PATH: process.env["PATH"], PULUMI_NODEJS_PROJECT: "shop", ...pulumiNode, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const [port] = (await once(createInterface(child.stdout), "line")) as [string];
  const client = new ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure());
  const exited = once(child, "exit");
  return {
    process: child,
    /** Everything it wrote to stderr so far. */
    stderr: (): string => errors,
    ...callsOf(client),
    /** Ends the connection, as the death of an engine does. */
    hangUp: (): void => client.close(),
    async end(): Promise<void> {
      client.close();
      if (child.exitCode === null) child.kill("SIGKILL");
      await exited;
    },
  };
}

const changes = new Map<number, "none" | "some">([
  [messages.DiffResponse.DiffChanges.DIFF_NONE, "none"],
  [messages.DiffResponse.DiffChanges.DIFF_SOME, "some"],
]);

function callsOf(client: ResourceProviderClient) {
  return {
    async configure(config: Record<string, string>): Promise<void> {
      const request = new messages.ConfigureRequest().setArgs(struct(config));
      await ask((done) => client.configure(request, done));
    },
    async check(olds: Values, news: Values) {
      const request = new messages.CheckRequest().setOlds(struct(olds)).setNews(struct(news));
      const answer = await ask<messages.CheckResponse>((done) => client.check(request, done));
      const failures = answer.getFailuresList();
      return {
        inputs: plain(answer.getInputs()),
        failures: failures.map((failure) => ({ property: failure.getProperty(), reason: failure.getReason() })),
      };
    },
    async diff(id: string, olds: Values, news: Values) {
      const request = new messages.DiffRequest().setId(id).setOlds(struct(olds)).setNews(struct(news));
      const answer = await ask<messages.DiffResponse>((done) => client.diff(request, done));
      return { changes: changes.get(answer.getChanges()) ?? "unknown", replaces: answer.getReplacesList() };
    },
    async create(properties: Values) {
      const request = new messages.CreateRequest().setProperties(struct(properties));
      const answer = await ask<messages.CreateResponse>((done) => client.create(request, done));
      return { id: answer.getId(), outs: plain(answer.getProperties()) };
    },
    async read(id: string, properties: Values) {
      const request = new messages.ReadRequest().setId(id).setProperties(struct(properties));
      const answer = await ask<messages.ReadResponse>((done) => client.read(request, done));
      return { id: answer.getId(), props: plain(answer.getProperties()), inputs: plain(answer.getInputs()) };
    },
    async update(id: string, olds: Values, news: Values) {
      const request = new messages.UpdateRequest().setId(id).setOlds(struct(olds)).setNews(struct(news));
      const answer = await ask<messages.UpdateResponse>((done) => client.update(request, done));
      return { outs: plain(answer.getProperties()) };
    },
    async delete(id: string, properties: Values): Promise<void> {
      const request = new messages.DeleteRequest().setId(id).setProperties(struct(properties));
      await ask((done) => client.delete(request, done));
    },
  };
}

/** A call of a gRPC client, and its answer. */
export function ask<T>(call: (done: (error: ServiceError | null, answer: T) => void) => unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    call((error, answer) => {
      if (error === null) resolve(answer);
      else reject(error);
    });
  });
}

/** What the engine makes of a failed call. */
export async function failureOf(call: Promise<unknown>): Promise<Failure> {
  const error = await call.then(
    () => {
      throw new Error("the call did not fail");
    },
    (reason: ServiceError) => reason,
  );
  const kept = keptOf(error.metadata);
  return { message: error.details, ...(kept === undefined ? {} : { kept }) };
}

function keptOf(metadata: Metadata): Failure["kept"] {
  const [binary] = metadata.get("grpc-status-details-bin");
  if (binary === undefined) return undefined;
  const [detail] = Status.deserializeBinary(Buffer.from(binary)).getDetailsList();
  const failed = messages.ErrorResourceInitFailed.deserializeBinary(detail?.getValue_asU8() ?? new Uint8Array());
  return { id: failed.getId(), properties: plain(failed.getProperties()), reasons: failed.getReasonsList() };
}

/** Pulumi: a provider of this kind gets plain values, whatever is a secret to the engine. */
function struct(values: Values): Struct {
  const sent = Object.entries(values).map(([key, value]) => [key, isSecret(value) ? value.value : value] as const);
  return Struct.fromJavaScript(Object.fromEntries(sent) as Record<string, JavaScriptValue>);
}

function isSecret(value: unknown): value is { value: unknown } {
  return typeof value === "object" && value !== null && SECRET_KEY in value;
}

const SECRET_KEY = "4dabf18193072939515e22adb298388d";

function plain(value: Struct | undefined): Values {
  return value === undefined ? {} : value.toJavaScript();
}
