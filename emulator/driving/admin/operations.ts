// Every operation of the admin API by name, except the changes out of band. Each calls one function of the emulator.

import { z } from "zod";
import { once } from "../../controlPlane/actions/request/fields";
import { faultRequest, randomFaultsRequest } from "./faultShapes";
import { mutations } from "./mutations";
import { operation, type AdminOperation } from "./operation";
import { applySettings, settingsAnswer, settingsJson, settingsRequest } from "./settingsShapes";
import { snapshotDocument } from "../data/snapshot";
import { ledgerEntry } from "../data/worldDocument";
import { activeFault, clockState, requestRecord, worldState } from "./shapes";

/** Only request records after the one with this id. */
export const recordsQuery = z.strictObject({ after: once(z.string()) });

const addedFault = z.object({ id: z.string() });

export const adminOperations: Readonly<Record<string, AdminOperation>> = {
  getState: operation({
    method: "GET",
    path: "/state",
    summary: "what the objects are at this moment, whatever answers show; passwords included",
    answer: worldState,
    run: ({ emulator }) => emulator.state(),
  }),
  getRequests: operation({
    method: "GET",
    path: "/requests",
    summary: "every request to the control plane, without passwords and tokens",
    query: recordsQuery,
    answer: z.array(requestRecord),
    run: ({ emulator, query }) => after(emulator.requests(), query.after),
  }),
  clearRequests: operation({
    method: "DELETE",
    path: "/requests",
    summary: "forget the requests so far",
    run: ({ emulator }) => emulator.clearRequests(),
  }),
  getLedger: operation({
    method: "GET",
    path: "/ledger",
    summary: "every creation, change and deletion that took effect, in order",
    answer: z.array(ledgerEntry),
    run: ({ emulator }) => emulator.ledger(),
  }),
  ...mutations,
  listFaults: operation({
    method: "GET",
    path: "/faults",
    summary: "the faults that were added, and how many requests each has struck",
    answer: z.array(activeFault),
    run: ({ emulator }) => emulator.faults.list(),
  }),
  addFault: operation({
    method: "POST",
    path: "/faults",
    summary: "let coming requests go wrong",
    body: faultRequest,
    status: 201,
    answer: addedFault,
    run: ({ emulator, body }) => ({ id: emulator.faults.add(body).id }),
  }),
  addRandomFaults: operation({
    method: "POST",
    path: "/faults/random",
    summary: "let requests go wrong by a seeded chance",
    body: randomFaultsRequest,
    status: 201,
    answer: addedFault,
    run: ({ emulator, body }) => ({ id: emulator.faults.random(body).id }),
  }),
  removeFault: operation({
    method: "DELETE",
    path: "/faults/:fault_id",
    summary: "remove a fault",
    run({ emulator, params }) {
      const id = params["fault_id"] ?? "";
      if (!emulator.faults.remove(id)) throw new Error(`the emulator has no fault with id ${id}`);
    },
  }),
  clearFaults: operation({
    method: "DELETE",
    path: "/faults",
    summary: "remove all faults",
    run: ({ emulator }) => emulator.faults.clear(),
  }),
  getClock: operation({
    method: "GET",
    path: "/clock",
    summary: "the emulator's clock",
    answer: clockState,
    run: ({ emulator }) => emulator.clock.state(),
  }),
  advanceClock: operation({
    method: "POST",
    path: "/clock/advance",
    summary: "put the clock ahead",
    body: z.strictObject({ ms: z.number().min(0) }),
    answer: clockState,
    run: ({ emulator, body }) => emulator.clock.advance(body.ms),
  }),
  freezeClock: operation({
    method: "POST",
    path: "/clock/freeze",
    summary: "stop the clock",
    answer: clockState,
    run: ({ emulator }) => emulator.clock.freeze(),
  }),
  resumeClock: operation({
    method: "POST",
    path: "/clock/resume",
    summary: "let the clock run on from where it is",
    answer: clockState,
    run: ({ emulator }) => emulator.clock.resume(),
  }),
  getSettings: operation({
    method: "GET",
    path: "/settings",
    summary: "timings, lags, rate limit and switches",
    answer: settingsAnswer,
    run: ({ emulator }) => settingsJson(emulator.settings),
  }),
  changeSettings: operation({
    method: "PATCH",
    path: "/settings",
    summary: "change timings, lags, rate limit and switches, from the next request on",
    body: settingsRequest,
    answer: settingsAnswer,
    run({ emulator, body }) {
      applySettings(emulator.settings, body);
      return settingsJson(emulator.settings);
    },
  }),
  settle: operation({
    method: "POST",
    path: "/settle",
    summary: "finish all running changes and drop all lag and stuck statuses",
    run: ({ emulator }) => emulator.settle(),
  }),
  takeSnapshot: operation({
    method: "POST",
    path: "/snapshot",
    summary: "the world with all that is under way, and the clock; passwords included",
    answer: snapshotDocument,
    run: ({ emulator }) => emulator.snapshot(),
  }),
  restore: operation({
    method: "POST",
    path: "/restore",
    summary: "put a snapshot back, the clock included",
    // `restore` checks the document itself, and says what is wrong with it.
    body: z.looseObject({ format: z.literal(1) }) as z.ZodType as z.ZodType<z.input<typeof snapshotDocument>>,
    run: ({ emulator, body }) => emulator.restore(body),
  }),
  reset: operation({
    method: "POST",
    path: "/reset",
    summary: "as it was when it was made: no objects, faults or requests, settings and clock as given",
    run: ({ emulator }) => emulator.reset(),
  }),
};

/** All records if none has that id: the log may have dropped it already. */
export function after<R extends { readonly id: string }>(records: readonly R[], id: string | undefined): R[] {
  return records.slice(records.findIndex((record) => record.id === id) + 1);
}
