// What somebody else does while a command runs: each act comes at one request of the provider, between what it has read
// and what it sends.

import type { RequestRecord, WorldState } from "../../../emulator/index";
import type { Random } from "../../support/random";
import { count, type Simulation } from "../simulation";
import { type Scene, removeByHand, takeName } from "./drift";

/** Who acts needs the objects of the run, and the judge, who is told. */
export type Acting = Scene & Pick<Simulation, "counts">;

interface Act {
  words: string;
  /** Whether it may come at this request. */
  at: (request: Readonly<RequestRecord>) => boolean;
  perform: (acting: Acting, random: Random, request: Readonly<RequestRecord>) => void;
}

type Of = (...given: Parameters<Done>) => WorldState["services"][number] | undefined;
type Done = (scene: Scene, random: Random, request: Readonly<RequestRecord>) => unknown;

/** What the act did is counted; nothing, where there is no such object. */
function act(name: string, at: Act["at"], perform: Done): Act {
  return {
    words: `somebody acts (${name})`,
    at,
    perform(acting, random, request) {
      if (perform(acting, random, request) !== undefined) count(acting.counts, `act ${name}`);
    },
  };
}

const ofService: Act["at"] = ({ params }) => params["service_id"] !== undefined;
const deletes: Act["at"] = ({ operation }) => /^(delete|stop)/.test(operation ?? "");
const ofVpcs: Act["at"] = ({ operation }) => /Vpc|listServices/.test(operation ?? "");
const creates: Act["at"] = ({ operation }) => /listServices|createService/.test(operation ?? "");
const any: Act["at"] = ({ operation }) => operation !== undefined;

export const ACTS: readonly Act[] = [
  act("tag", ofService, tag),
  act("tag", deletes, tag),
  act("attach", ofVpcs, attach),
  act("create", creates, takeName),
  act("delete", any, removeByHand),
  act("rename", ofService, rename),
];

/** That of the request, if it is ours, or any other of ours. */
const serviceAt: Of = ({ emulator, state }, random, { params }) => {
  const ids = new Set([...state.entries.values(), ...state.replaced].map(({ id }) => id));
  const ours = emulator.state().services.filter(({ id, status }) => ids.has(id) && !status.startsWith("DELET"));
  return ours.find(({ id }) => id === params["service_id"]) ?? random.pickFrom(ours);
};

function tag(...given: Parameters<Done>): string | undefined {
  const [scene] = given;
  const service = serviceAt(...given);
  if (service === undefined) return undefined;
  scene.emulator.mutate.service(service.id, { environment: "PROD" });
  scene.judge.noteTouched(service.id, ["environment"]);
  return service.id;
}

function rename(...given: Parameters<Done>): string | undefined {
  const [scene] = given;
  const service = serviceAt(...given);
  if (service === undefined) return undefined;
  scene.emulator.mutate.service(service.id, { name: `${service.name}-by-hand` });
  scene.judge.noteTouched(service.id, ["name"]);
  return service.id;
}

function attach({ emulator, judge, state }: Scene, random: Random): string | undefined {
  const vpcs = emulator
    .state()
    .vpcs.filter(
      ({ id, status }) => !status.startsWith("DELET") && [...state.entries.values()].some((entry) => entry.id === id),
    );
  const vpc = random.pickFrom(vpcs);
  if (vpc === undefined) return undefined;
  const { id } = emulator.mutate.createService({ name: `attached-${random.seed()}`, vpcId: vpc.id });
  judge.noteForeign(id);
  return id;
}
