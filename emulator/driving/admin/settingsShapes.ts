// Settings as JSON. A duration that is a function of the object can be set only in the emulator's own process.

import { z } from "zod";
import { switchesRequest } from "../../controlPlane/settings/switches";
import { watchableTimings, type Duration, type Timings } from "../../controlPlane/settings/timings";
import type { Lag, Settings, StaleLag } from "../../controlPlane/settings/settings";

const ms = z.number().min(0);
const reads = z.int().min(0);
const lag = z.strictObject({ ms: ms.exactOptional(), reads: reads.exactOptional() }) satisfies z.ZodType<Lag>;

const duration = z.union([ms, z.tuple([ms, ms]), z.literal("forever").transform(() => Infinity)]);

const steps = Object.keys(watchableTimings) as (keyof Timings)[];

const timings = z.partialRecord(z.enum(steps), duration);

const rateLimit = z.strictObject({
  perSecond: z.number().positive(),
  burst: z.number().min(1).exactOptional(),
  retryAfterSeconds: z.union([z.int().min(0), z.literal("date")]).exactOptional(),
});

export const settingsRequest = z.strictObject({
  timings: timings.exactOptional(),
  stale: lag.extend({ comesBack: reads.exactOptional() }).exactOptional() satisfies z.ZodType<StaleLag | undefined>,
  listLag: lag.exactOptional(),
  notFoundAfterCreate: lag.exactOptional(),
  /** `null` removes the limit. */
  rateLimit: rateLimit.nullable().exactOptional(),
  switches: switchesRequest.exactOptional(),
});

export function applySettings(settings: Settings, given: z.output<typeof settingsRequest>): void {
  const { timings: durations, switches: points, rateLimit: limit, ...lags } = given;
  Object.assign(settings.timings, durations);
  Object.assign(settings.switches, points);
  Object.assign(settings, lags);
  if (limit !== undefined) settings.rateLimit = limit ?? undefined;
}

/** As JSON: a duration that is a function shows as a fixed text. */
export function settingsJson(settings: Settings): object {
  const shown = Object.entries(settings.timings).map(([step, given]) => [step, durationJson(given)]);
  return { ...settings, rateLimit: settings.rateLimit ?? null, timings: Object.fromEntries(shown) as object };
}

function durationJson(given: Duration): unknown {
  if (typeof given === "function") return "a function of the object";
  return given === Infinity ? "forever" : given;
}
