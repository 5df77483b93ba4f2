// What somebody else does while a command runs: each act comes at one request of the provider, between what it has read
// and what it sends. The runs and the walk on the real engine share them.

import type { Emulator, RequestRecord, WorldState } from "../../../emulator/index";
import { createRandom, type Random } from "../../support/random";
import type { Kind } from "../../support/providerProcess";
import type { Judge } from "../judge/judge";
import { deleteByHand } from "../judge/truth";

/** What the acts need: the objects of the run, and who is told of them. */
export interface Acting {
  readonly emulator: Emulator;
  /** The objects of the states. */
  ours: () => readonly { readonly id: string; readonly kind: Kind }[];
  /** Those of them that somebody may delete. */
  deletable: () => readonly { readonly id: string; readonly kind: Kind }[];
  /** Names of services that the run is about to make. */
  coming: () => readonly string[];
  readonly judge: Pick<Judge, "foreign" | "deletedByHand" | "hidden" | "noteTouched">;
  count(what: string): void;
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
const creates: Act["at"] = ({ operation }) => /listServices|createService/.test(operation ?? "");

const ACTS: readonly Act[] = [
  { name: "tag", at: ofService, perform: tag },
  { name: "tag", at: ({ operation }) => /^(delete|stop)/.test(operation ?? ""), perform: tag },
  // These seldom find an object, or a request that they come at.
  ...Array.from({ length: 3 }, (): Act => ({ name: "attach", at: ofVpcs, perform: attach })),
  ...Array.from({ length: 2 }, (): Act => ({ name: "create", at: creates, perform: create })),
  ...Array.from({ length: 2 }, (): Act => ({ name: "rename", at: ofService, perform: rename })),
  { name: "delete", at: ({ operation }) => operation !== undefined, perform: remove },
];

/**
 * One act at the first request, after `skip` others, at which there is an object for it. Now and then the request fails:
 * the act comes before the next look.
 */
export function drawAct(random: Random, skip: number): { words: string; begin: (acting: Acting) => void } {
  const { name, at, perform } = random.pick(ACTS);
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

/** Objects of the states are not shown for so long: none with parts, which are believed gone sooner than their parent. */
export function drawBrownout(
  random: Random,
  skip: number,
  timeScale = 1,
): { words: string; begin: (acting: Acting) => void } {
  const [seconds, isAll, own] = [1 + random.below(20), random.isLucky(0.5), random.seed()];
  const ms = seconds * 1_000 * timeScale;
  return {
    words: `a brown-out of ${ms} ms`,
    begin(acting) {
      const isWhole = (kind: Kind): boolean => kind === "service" || kind === "vpc";
      const ids = acting.ours().flatMap(({ id, kind }) => (isWhole(kind) ? [id] : []));
      const one = isAll ? undefined : createRandom(own).pickFrom(ids);
      const hidden = one === undefined ? ids : [one];
      acting.emulator.faults.add({ kind: "brownout", ms, ids: hidden, skip });
      for (const id of hidden) acting.judge.hidden.add(id);
    },
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
export function drawMembers(random: Random): { words: string; begin: (acting: Acting) => void } {
  const form = random.pick(["absent", "null", "zero"] as const);
  const where = random.pick(["lists", "lists", "reads"] as const);
  const names = (where === "lists" ? OF_LISTS : NEVER_NONE).filter(() => random.isLucky(0.5));
  const members = Object.fromEntries(names.map((name) => [name, form]));
  return {
    words: `${names.join(", ")} ${form} in ${where}`,
    begin: ({ emulator: { faults } }) => void faults.add({ kind: "members", members, in: where, times: Infinity }),
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
