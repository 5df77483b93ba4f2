// Between the messages of the engine and plain values: secrets, unknown values, errors.

import { Metadata, type StatusObject, status } from "@grpc/grpc-js";
import { Any } from "google-protobuf/google/protobuf/any_pb";
import { type JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";
import { ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { withoutValues } from "../provider/api/http/redaction";
import { ProviderError } from "../provider/domain/errors";
import { printable } from "../provider/domain/values/printable";
import { SECRET_SIGNATURE } from "../provider/domain/values/secret";
import { compact, UNKNOWN, type Values } from "../provider/domain/values/value";
import { markSecrets } from "../provider/host/shapes";

/** Values of the engine, and the names of those that are secret, or have a secret inside. */
export interface Received {
  values: Values;
  secrets: ReadonlySet<string>;
  /** What no message may show. */
  texts: readonly string[];
}

/** Pulumi: what is unknown has a text of its own for each type. */
const UNKNOWNS = new Set([
  UNKNOWN,
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "dd056dcd-154b-4c76-9bd3-c8f88648b3ff",
]);
/** The program's values among what a state keeps as one text. */
const TEXTS_OF_VALUES = ["__sent", "__shown"];

export function receive(struct: Struct | undefined): Received {
  const secrets = new Set<string>();
  const texts: string[] = [];
  const values: Values = {};
  for (const [key, value] of Object.entries(struct?.toJavaScript() ?? {})) {
    values[key] = plain(value, (inner) => {
      secrets.add(key);
      texts.push(...textsIn(inner));
    });
  }
  return { values: compact(values), secrets, texts };
}

function textsIn(value: unknown): string[] {
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(textsIn);
  const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
  return UNKNOWNS.has(text) ? [] : [text];
}

export function withoutSecrets(text: string, sources: readonly Received[]): string {
  const secrets = sources.flatMap(({ texts }) => texts);
  return withoutValues(text, secrets);
}

function plain(value: unknown, onSecret: (secret: unknown) => void): unknown {
  if (typeof value === "string") return UNKNOWNS.has(value) ? UNKNOWN : value;
  if (Array.isArray(value)) return value.map((item) => plain(item, onSecret));
  if (typeof value !== "object" || value === null) return value;
  const inner = value as Values;
  if (Object.entries(SECRET_SIGNATURE).every(([key, sign]) => inner[key] === sign)) {
    onSecret(inner["value"]);
    return plain(inner["value"], onSecret);
  }
  return Object.fromEntries(Object.entries(inner).map(([key, one]) => [key, plain(one, onSecret)]));
}

/** What came in as a secret goes out as one, and so does every password. */
export function send(values: Values, ...sources: readonly Received[]): Struct {
  const secrets = sources.flatMap((source) => [...source.secrets]);
  const texts = secrets.length === 0 ? [] : TEXTS_OF_VALUES;
  return Struct.fromJavaScript(markSecrets(compact(values), [...secrets, ...texts]) as Record<string, JavaScriptValue>);
}

/** What holds no secret. */
export function sendPlain(values: Values): Struct {
  return Struct.fromJavaScript(compact(values) as Record<string, JavaScriptValue>);
}

type Failure = Partial<StatusObject>;

/** An error of a call. With an id, the engine keeps the resource in the state, and the next `up` continues from there. */
export function failure(error: unknown, ...sources: readonly Received[]): Failure {
  const shown = (text: string): string => printable(withoutSecrets(text, sources));
  const message = shown(textOf(error));
  if (!isPartial(error)) return { code: status.UNKNOWN, details: message };
  const detail = new ErrorResourceInitFailed();
  detail.setId(error.id);
  detail.setProperties(send(plainOf(error.properties), ...sources));
  detail.setReasonsList(error.reasons.map(shown));
  const any = new Any();
  any.pack(detail.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
  const whole = new Status();
  whole.setCode(status.UNKNOWN);
  whole.setMessage(message);
  whole.addDetails(any);
  const metadata = new Metadata();
  // gRPC: where Go finds the details of an error.
  metadata.set("grpc-status-details-bin", Buffer.from(whole.serializeBinary()));
  return { code: status.UNKNOWN, details: message, metadata };
}

/** Errors of handlers have their remedy in the message already. */
function textOf(error: unknown): string {
  if (error instanceof ProviderError) return error.fullMessage;
  return error instanceof Error ? error.message : String(error);
}

function plainOf(values: Values): Values {
  return plain(values, () => undefined) as Values;
}

function isPartial(error: unknown): error is { id: string; properties: Values; reasons: readonly string[] } {
  return error instanceof Error && "id" in error && "properties" in error && "reasons" in error;
}
