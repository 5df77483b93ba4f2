// DBCLOUD_TRACE on the real engine, through both fronts: an `up` of twenty services as a trace.

import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { Service } from "../../provider/index";
import { Service as NativeService } from "../../provider/native";
import { useEngineWorld, world } from "./world";

const PASSWORD = "hunter2-hunter2";
const SERVICES = 20;

// So long that also a busy machine sees a status before READY.
useEngineWorld({ timings: { queued: 20, create: 500 } });

const where = { pid: z.int(), tid: z.int() };
const args = z.record(z.string(), z.string());
const moment = z.int().min(0);
const word = z.string().min(1);
const read = { ...where, name: z.string(), cat: z.literal("read"), id: z.string(), ts: moment };
const track = z.enum(["process_name", "thread_name"]);
const category = z.enum(["operation", "step", "wait", "call"]);

/** As far as the provider uses it: https://perfetto.dev/docs, Chrome JSON. */
const traceEvent = z.discriminatedUnion("ph", [
  z.strictObject({ ...where, ph: z.literal("M"), name: track, args: z.strictObject({ name: word }) }),
  z.strictObject({ ...where, ph: z.literal("X"), name: word, cat: category, ts: moment, dur: moment, args }),
  z.strictObject({ ...read, ph: z.literal("b"), args }),
  z.strictObject({ ...read, ph: z.literal("e") }),
]);

type Slice = Extract<z.infer<typeof traceEvent>, { ph: "X" }>;

const endOf = ({ ts, dur }: Slice): number => ts + dur;

async function traced(form: "dynamic" | "native") {
  const file = path.join(world.folder, `${form}.json`);
  const Class = form === "dynamic" ? Service : NativeService;
  const declare = (): void => {
    for (let n = 0; n < SERVICES; n += 1)
      void new Class(`db${n}`, {
        name: `${form}-${n}`,
        poolerEnabled: n === 0,
        ...(n === 1 && { password: PASSWORD }),
      });
  };
  const stack = await world.open(declare, { project: form, name: "dev" });
  stack.stack.workspace.envVars["DBCLOUD_TRACE"] = file;
  const began = Date.now();
  const { calls } = await stack.up();
  const ended = Date.now();
  expect(existsSync(file)).toBe(true);
  const text = readFileSync(file, "utf8");
  // The format lets the end of the list be absent.
  const events = z.array(traceEvent).parse(JSON.parse(`${text.replace(/,\n$/, "")}]`));
  return { text, events, calls, began, ended };
}

test.each(["dynamic", "native"] as const)(
  "the trace of an up of 20, %s: a track for each, whose slices add up to its operation, within the run",
  async (form) => {
    const { text, events, calls, began, ended } = await traced(form);
    expect(text).not.toContain(PASSWORD);
    expect(text).not.toContain(world.emulator.apiKey);
    for (const { initialPassword } of world.emulator.state().services) expect(text).not.toContain(initialPassword);

    const names = events.flatMap((one) => (one.ph === "M" && one.name === "thread_name" ? [one.args.name] : []));
    for (let n = 0; n < SERVICES; n += 1) expect(names).toContain(`db${n}`);

    const slices = events.filter((one) => one.ph === "X");
    const sent = slices.filter(({ cat }) => cat === "call");
    expect(sent.length).toBe(calls.length);
    const known = new Set(world.emulator.requests().map(({ id }) => id));
    const isTold = ({ requestId = "", outcome = "" }: Slice["args"]): boolean =>
      known.has(requestId) && /^20\d$/.test(outcome);
    expect(sent.every((call) => isTold(call.args))).toBe(true);
    expect(slices.filter(({ cat }) => cat === "wait").map(({ name }) => name)).toContain("CONFIGURING");
    expect(slices.filter(({ name, cat }) => cat === "step" && name === "enablePooler").length).toBe(1);

    const operations = slices.filter(({ cat }) => cat === "operation");
    for (const operation of operations) {
      const isInside = (one: Slice): boolean =>
        one.tid === operation.tid &&
        one.pid === operation.pid &&
        one.ts >= operation.ts &&
        endOf(one) <= endOf(operation);
      const own = slices
        .filter((one) => isInside(one) && (one.cat === "step" || one.cat === "wait"))
        .toSorted((a, b) => a.ts - b.ts);
      // One begins where the one before ends, and the last ends with the operation.
      expect(own.slice(1).map(({ ts }) => ts)).toEqual(own.slice(0, -1).map(endOf));
      const [first, last] = [own[0], own.at(-1)];
      if (first === undefined || last === undefined) continue;
      expect(endOf(last)).toBe(endOf(operation));
      expect(own.reduce((sum, { dur }) => sum + dur, 0)).toBe(endOf(operation) - first.ts);
      for (const call of sent.filter(isInside))
        expect(own.some((one) => one.ts <= call.ts && endOf(call) <= endOf(one))).toBe(true);
    }
    // All of it is within the run, and the creates are.
    const creating = operations.filter(({ tid, pid }) => sent.some((one) => one.tid === tid && one.pid === pid));
    expect(new Set(creating.map(({ tid }) => tid)).size).toBe(SERVICES);
    expect(Math.min(...operations.map(({ ts }) => ts))).toBeGreaterThanOrEqual((began - 2) * 1_000);
    expect(Math.max(...operations.map(endOf))).toBeLessThanOrEqual((ended + 2) * 1_000);
  },
);

test("a trace that cannot be written is told, and nothing fails", async () => {
  const stack = await world.open(() => void new Service("db", { name: "untraced" }), {
    project: "untraced",
    name: "dev",
  });
  stack.stack.workspace.envVars["DBCLOUD_TRACE"] = path.join(world.folder, "no/such/folder.json");
  const { text, summary } = await stack.up();
  expect(text).toContain("DBCLOUD_TRACE: ENOENT");
  expect(summary).toMatchObject({ create: 2 });
});
