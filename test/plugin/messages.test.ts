// Secrets, unknown values and errors on their way between the engine's messages and plain values.

import { Struct, type JavaScriptValue } from "google-protobuf/google/protobuf/struct_pb";
import { ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { expect, test } from "vitest";
import { failure, receive, send } from "../../plugin/messages";
import { PartialError, RefusedError } from "../../provider/domain/errors";
import { show, UNKNOWN, type Values } from "../../provider/domain/values/value";
import { SECRET_SIGNATURE } from "../../provider/domain/values/secret";
import { toShown } from "../../provider/host/shapes";

const secret = (value: unknown): Values => ({ ...SECRET_SIGNATURE, value });
const received = (values: Values) => receive(Struct.fromJavaScript(values as Record<string, JavaScriptValue>));
const sent = (...given: Parameters<typeof send>): unknown => send(...given).toJavaScript();

/** Texts of Pulumi for what is unknown: of a bool, a number, a list and an object. */
const UNKNOWN_OF_OTHER_TYPES = [
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "dd056dcd-154b-4c76-9bd3-c8f88648b3ff",
];

test("what the engine sends is plain for the handlers, and remembers where secrets were, at any depth", () => {
  const { values, secrets } = received({
    name: "db",
    regionCode: secret("us-east-1"),
    haReplicas: { replicaCount: secret(1), syncReplicaCount: 0 },
    addons: ["ai", secret("time-series")],
    forkFrom: secret({ serviceId: secret("svc0000001") }),
    password: secret(UNKNOWN),
  });
  expect(values).toEqual({
    name: "db",
    regionCode: "us-east-1",
    haReplicas: { replicaCount: 1, syncReplicaCount: 0 },
    addons: ["ai", "time-series"],
    forkFrom: { serviceId: "svc0000001" },
    password: UNKNOWN,
  });
  expect(secrets).toEqual(new Set(["regionCode", "haReplicas", "addons", "forkFrom", "password"]));
});

test("what the engine sends has one unknown value, whatever its type", () => {
  const unknown = Object.fromEntries(UNKNOWN_OF_OTHER_TYPES.map((text, at) => [`v${at}`, text]));
  expect(new Set(Object.values(received(unknown).values))).toEqual(new Set([UNKNOWN]));
});

test("what the engine gets has what came in as a secret as one, from any of its sources, and what else keeps these values", () => {
  const before = received({ regionCode: secret("us-east-1"), name: "db" });
  const now = received({ haReplicas: { replicaCount: secret(1) } });
  const state = { name: "db", regionCode: "us-east-1", haReplicas: { replicaCount: 1 }, __shown: "{}" };
  expect(sent(state, before, now)).toEqual({
    name: "db",
    regionCode: secret("us-east-1"),
    haReplicas: secret({ replicaCount: 1 }),
    __shown: secret("{}"),
  });
  expect(sent(state)).toEqual(state);
});

test("what the engine gets shows an unknown value as unknown, although it is secret", () => {
  const source = received({ regionCode: secret("us-east-1") });
  expect(sent({ password: UNKNOWN, regionCode: UNKNOWN }, source)).toEqual({
    password: UNKNOWN,
    regionCode: UNKNOWN,
  });
});

test.each([
  ["as it is", "mars-zebra", '"[secret]"'],
  ["quoted", 'mars"zebra\nq', '"[secret]"'],
  ["cut", "mars-zebra ".repeat(20), '"[secret]"'],
  ["cut within a character", `${"mars-zebra ".repeat(10)}abcdef😀zebra`, '"[secret]"'],
  ["with an escape for what is invisible", "mars\u200b\u007fzebra", '"[secret]"'],
])("an error hides what came in as a secret, also where it is shown %s", (_, text, expected) => {
  const source = received({ regionCode: secret(text) });
  const shown = failure(toShown(new RefusedError("busy", `region ${show(text)}`, "Do this."), {}), source);
  expect(shown).toEqual({
    code: 2,
    details: `region ${expected}\nDo this.\nMore: npx pulumi-dbcloud explain busy`,
  });
});

test("an error of a half-made object has its id, its reason, and its state with the secrets that came in", () => {
  const outputs = { name: "db", regionCode: "us-east-1", haReplicas: { replicaCount: 1 }, password: "a-password" };
  const error = new PartialError("svc0000001", outputs, "one\ntwo");
  const source = received({ haReplicas: { replicaCount: secret(1) }, password: secret("a-password") });
  const { code, details, metadata } = failure(toShown(error, {}), source);
  expect({ code, details }).toEqual({ code: 2, details: "one\ntwo" });
  const [bytes] = metadata?.get("grpc-status-details-bin") ?? [];
  const status = Status.deserializeBinary(new Uint8Array(Buffer.from(bytes ?? "")));
  const [any] = status.getDetailsList();
  expect(any?.getTypeName()).toBe("pulumirpc.ErrorResourceInitFailed");
  const detail = ErrorResourceInitFailed.deserializeBinary(any?.getValue_asU8() ?? new Uint8Array());
  expect([detail.getId(), detail.getReasonsList()]).toEqual(["svc0000001", ["one\ntwo"]]);
  expect(detail.getProperties()?.toJavaScript()).toEqual({
    name: "db",
    regionCode: "us-east-1",
    haReplicas: secret({ replicaCount: 1 }),
    password: secret("a-password"),
  });
});
