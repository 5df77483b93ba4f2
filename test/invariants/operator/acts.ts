// What somebody else does while a command runs: each act comes at one request of the provider, between what it has read
// and what it sends. The runs and the walk on the real engine share them.

import type { Emulator, Fault, FaultHandle, FaultScope, RequestRecord, WorldState } from "../../../emulator/index";
import { createRandom, type Random } from "../../support/random";
import type { Kind } from "../../support/providerProcess";
import type { Judge } from "../judge/judge";
import { deleteByHand, factsOf } from "../judge/truth";

/** What the acts need: the objects of the run, and who is told of them. */
export interface Acting {
  readonly emulator: Emulator;
  /** The objects of the states. */
  ours: () => readonly { readonly id: string; readonly kind: Kind }[];
  /** Those of the state of this run. Default: all. */
  known?: () => readonly { readonly id: string }[];
  /** Those of them that somebody may delete. */
  deletable: () => readonly { readonly id: string; readonly kind: Kind }[];
  /** Names of services that the run is about to make. */
  coming: () => readonly string[];
  readonly judge: Pick<Judge, "foreign" | "deletedByHand" | "hidden" | "healedMs" | "noteTouched">;
  readonly drawn: DrawnFault[];
  count(what: string): void;
}

/** A fault under the name by which it is counted, once a command in which it applied has ended. */
export interface DrawnFault {
  name: string;
  handle: FaultHandle;
}

function addDrawn({ emulator, drawn }: Acting, name: string, fault: FaultScope & Fault): void {
  drawn.push({ name, handle: emulator.faults.add(fault) });
}

export function countDrawn(drawn: DrawnFault[], count: (what: string) => void): void {
  for (const { name, handle } of drawn.splice(0)) if (handle.struck > 0) count(`drawn ${name}`);
}

interface Act {
  name: string;
  /** Whether it may come at this request. */
  at: (request: Readonly<RequestRecord>) => boolean;
  /** False where there is no such object. */
  perform: (acting: Acting, random: Random, request: Readonly<RequestRecord>) => boolean;
}

const ofService: Act["at"] = ({ params }) => params["service_id"] !== undefined;
const ofVpcs: Act["at"] = ({ operation }) => /Vpc|listServices/.test(operation ?? "");
const anywhere: Act["at"] = ({ operation }) => operation !== undefined;
const creates: Act["at"] = ({ operation }) => /listServices|createService/.test(operation ?? "");

const ACTS: readonly Act[] = [
  { name: "tag", at: ofService, perform: tag },
  { name: "tag", at: ({ operation }) => /^(delete|stop)/.test(operation ?? ""), perform: tag },
  // These seldom find an object, or a request that they come at.
  ...Array.from({ length: 3 }, (): Act => ({ name: "attach", at: ofVpcs, perform: attach })),
  ...Array.from({ length: 2 }, (): Act => ({ name: "create", at: creates, perform: create })),
  ...Array.from({ length: 2 }, (): Act => ({ name: "rename", at: ofService, perform: rename })),
  { name: "take a name", at: anywhere, perform: take },
  { name: "delete", at: anywhere, perform: remove },
  ...Array.from({ length: 3 }, (): Act => ({ name: "fail or recover", at: anywhere, perform: failOrRecover })),
];

/**
 * One act at the first request, after `skip` others, at which there is an object for it. Now and then the request fails:
 * the act comes before the next look.
 */
export function drawAct(random: Random, skip: number, only?: string): Drawn {
  const { name, at, perform } = random.pick(ACTS.filter((one) => only === undefined || one.name === only));
  const [when, own] = [random.pick(["before", "after"] as const), random.seed()];
  const status = random.pick([undefined, 429, 503]);
  return {
    words: `somebody acts (${name})`,
    begin(acting) {
      const { faults } = acting.emulator;
      let isDone = false;
      const act = (request: Readonly<RequestRecord>): void => {
        if (isDone) return;
        isDone = perform(acting, createRandom(own), request);
        if (isDone) acting.count(`act ${name}`);
      };
      const match = (request: Readonly<RequestRecord>): boolean => !isDone && at(request);
      faults.add({ kind: "meanwhile", when, act, skip, times: Infinity, match });
      if (status !== undefined) faults.add({ kind: "status", status, skip, match: at });
    },
  };
}

export interface Drawn {
  words: string;
  begin: (acting: Acting) => void;
}

/** What is not shown, and not in its state, no run can know. */
function noteHidden({ emulator, ours, known = ours, judge }: Acting): void {
  const own = new Set(known().map(({ id }) => id));
  for (const { id } of factsOf(emulator.state())) if (!own.has(id)) judge.hidden.add(id);
}

/** Nothing is shown for so long, or one object of the states: that is gone after 30 s, as every user is told. */
export function drawOutage(random: Random, skip: number, timeScale = 1): Drawn {
  const [isAll, own] = [random.isLucky(0.6), random.seed()];
  const seconds = 5 + random.below(isAll ? 56 : 21);
  const [ms, where] = [seconds * 1_000 * timeScale, random.pick([undefined, undefined, "reads", "lists"] as const)];
  const name = isAll ? `outage${where === undefined ? "" : ` of ${where}`}` : "one object hidden";
  return {
    words: `${name}, ${ms} ms`,
    begin(acting) {
      const one = isAll ? undefined : createRandom(own).pickFrom(acting.ours());
      if (!isAll && one === undefined) return;
      const ids = one === undefined ? {} : { ids: [one.id] };
      addDrawn(acting, name, { kind: "brownout", ms, skip, ...ids, ...(where && { in: where }) });
      if (isAll) noteHidden(acting);
    },
  };
}

/** Lists end after a few objects. Who is told of a next page knows that something may be hidden. */
export function drawCut(random: Random, skip: number): Drawn {
  const next = random.pick([undefined, undefined, "header", "member"] as const);
  const [rows, times] = [random.below(4), random.pick([1, 3, Infinity])];
  const name = next === undefined ? "cut lists" : "lists with a next page";
  return {
    words: `${name}, after ${rows}`,
    begin(acting) {
      addDrawn(acting, name, { kind: "cut", rows, skip, times, ...(next && { next }) });
      if (next === undefined) noteHidden(acting);
    },
  };
}

/** What a paused service need not show. */
export function drawPaused(random: Random): Drawn {
  const form = random.pick(["absent", "null"] as const);
  const names = ["endpoint", "vpc_endpoint", "vpcEndpoint", "connection_pooler"];
  const members = Object.fromEntries(names.map((name) => [name, form]));
  return {
    words: `paused services without addresses (${form})`,
    begin(acting) {
      const isPaused = ({ operation, params }: Readonly<RequestRecord>): boolean => {
        const { services } = acting.emulator.state();
        const paused = services.filter(({ status }) => status === "PAUSED");
        return (
          /^(list|get)Service/.test(operation ?? "") &&
          paused.some(({ id }) => [id, undefined].includes(params["service_id"]))
        );
      };
      for (const status of ["PAUSED", "paused"])
        addDrawn(acting, "paused without addresses", {
          kind: "members",
          members,
          status,
          match: isPaused,
          times: Infinity,
        });
    },
  };
}

/** Answers with a status that no document has. */
export function drawWord(random: Random, skip: number): Drawn {
  const [value, times] = [random.pick(["MIGRATING", "resizing storage", ""]), 1 + random.below(20)];
  const match: Act["at"] = ({ operation }) => /Service|ReplicaSet/.test(operation ?? "");
  return {
    words: `status ${JSON.stringify(value)} ×${times}`,
    begin: (acting) =>
      addDrawn(acting, "unknown status", { kind: "members", members: { status: { value } }, match, skip, times }),
  };
}

/** Members whose absence in an answer about one object is no value. Without the others that answer would be a lie. */
const NEVER_NONE = ["metadata.environment", "metrics", "forked_from", "resources.spec.volume_type"];
/** In a list that shows it of no object, the absence of a member says nothing. */
const OF_LISTS = [
  ...NEVER_NONE,
  "vpc_endpoint",
  "vpcEndpoint",
  "endpoint",
  "connection_pooler",
  "ha_replicas",
  "read_replica_sets",
  "resources",
];

/** Answers that leave members out. */
export function drawMembers(random: Random): Drawn {
  const form = random.pick(["absent", "null", "zero"] as const);
  const where = random.pick(["lists", "lists", "reads"] as const);
  const names = (where === "lists" ? OF_LISTS : NEVER_NONE).filter(() => random.isLucky(0.5));
  const members = Object.fromEntries(names.map((name) => [name, form]));
  return {
    words: `${names.join(", ")} ${form} in ${where}`,
    begin: (acting) => addDrawn(acting, "members", { kind: "members", members, in: where, times: Infinity }),
  };
}

type Service = WorldState["services"][number];

/** That of the request, if it is ours, or any other of ours. */
function serviceAt(acting: Acting, random: Random, { params }: Readonly<RequestRecord>): Service | undefined {
  const ids = new Set(acting.ours().map(({ id }) => id));
  const { services } = acting.emulator.state();
  const ours = services.filter(({ id, status }) => ids.has(id) && !status.startsWith("DELET"));
  return ours.find(({ id }) => id === params["service_id"]) ?? random.pickFrom(ours);
}

function tag(...given: Parameters<Act["perform"]>): boolean {
  return changed(given, () => ({ environment: "PROD" }));
}

function rename(...given: Parameters<Act["perform"]>): boolean {
  return changed(given, ({ name }) => ({ name: `${name}-by-hand` }));
}

function changed(given: Parameters<Act["perform"]>, change: (service: Service) => Partial<Service>): boolean {
  const [{ emulator, judge }] = given;
  const service = serviceAt(...given);
  if (service === undefined) return false;
  const fields = change(service);
  emulator.mutate.service(service.id, fields);
  judge.noteTouched(service.id, Object.keys(fields));
  return true;
}

function attach({ emulator, ours, judge }: Acting, random: Random): boolean {
  const ids = new Set(ours().map(({ id }) => id));
  const vpcs = emulator.state().vpcs.filter(({ id, status }) => ids.has(id) && !status.startsWith("DELET"));
  const vpc = random.pickFrom(vpcs);
  if (vpc === undefined) return false;
  judge.foreign.add(emulator.mutate.createService({ name: `attached-${random.seed()}`, vpcId: vpc.id }).id);
  return true;
}

/** A service of a name that the run is about to use, elsewhere. */
export function create({ emulator, coming, judge }: Acting, random: Random): boolean {
  const name = random.pickFrom(coming()) ?? `stranger-${random.seed()}`;
  judge.foreign.add(emulator.mutate.createService({ name, regionCode: "ap-south-1" }).id);
  return true;
}

/** Nobody takes a name that nobody wants. */
function take(acting: Acting, random: Random): boolean {
  return acting.coming().length > 0 && create(acting, random);
}

/** Of ours, one of the two kinds that are made anew because they have failed. */
function setStatus({ emulator, ours, judge }: Acting, random: Random, isFailing: boolean): boolean {
  const { mutate, clock } = emulator;
  const { peerings, replicaSets } = emulator.state();
  const ids = new Set(ours().map(({ id }) => id));
  const from = isFailing ? /^active$/ : /^(error|failed)$/;
  const one = random.pickFrom(
    [...peerings, ...replicaSets].filter(({ id, status }) => ids.has(id) && from.test(status)),
  );
  if (one === undefined) return false;
  if ("vpcId" in one) mutate.peering(one.id, { status: isFailing ? "failed" : "active" });
  else mutate.replicaSet(one.id, { status: isFailing ? "error" : "active" });
  judge.noteTouched(one.id, ["status"]);
  if (isFailing) judge.healedMs.delete(one.id);
  else judge.healedMs.set(one.id, clock.now());
  return true;
}

export function fail(acting: Acting, random: Random): boolean {
  return setStatus(acting, random, true);
}

export function recover(acting: Acting, random: Random): boolean {
  return setStatus(acting, random, false);
}

/** What has failed recovers, because few do at the moment of an act. */
function failOrRecover(acting: Acting, random: Random): boolean {
  return recover(acting, random) || fail(acting, random);
}

export function remove({ emulator, deletable, judge }: Acting, random: Random): boolean {
  const object = random.pickFrom(deletable());
  if (object === undefined) return false;
  const { peerings, replicaSets } = emulator.state();
  const parts = [
    ...peerings.filter(({ vpcId }) => vpcId === object.id),
    ...replicaSets.filter(({ serviceId }) => serviceId === object.id),
  ];
  for (const { id } of [object, ...parts]) judge.deletedByHand.add(id);
  deleteByHand(emulator, object);
  return true;
}
