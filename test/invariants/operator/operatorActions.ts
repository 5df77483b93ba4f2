// The actions of a sensible operator: edits the program, and follows the provider's errors: adopts its own objects,
// gives up a name that somebody else has, keeps protected objects.

import { isDeepStrictEqual } from "node:util";
import type { Values } from "../../../provider/domain/values/value";
import { visible } from "../../../provider/core/state";
import { isNeeded, needsOf, resolve, type Declared } from "./declared";
import { isThere, type Scene } from "./drift";
import { edit, WEIGHTS } from "./edit";
import { allOf, type Entry } from "../engine/state";
import type { Random } from "../../support/random";
import { deleteByHand, factsOf, identityOf, type Fact } from "../judge/truth";

/** Changes the program, but not resources with an unknown outcome, nor those that such an object may be a part of. */
export function editProgram({ judge, program, state }: Scene, random: Random): string {
  const isOpen = (logical: string): boolean => judge.isOutcomeUnknown(logical) || !state.entries.has(logical);
  const isOutcomeUnknown = (logical: string): boolean =>
    isOpen(logical) || program.declared.some((one) => needsOf(one.args).includes(logical) && isOpen(one.logical));
  const isProtected = (logical: string): boolean => state.entries.get(logical)?.outputs["deletionProtection"] === true;
  const idOf = (): undefined => undefined;
  return edit({ program, weights: WEIGHTS, isBold: false, isOutcomeUnknown, isProtected, idOf }, random);
}

/** What is gone although it was protected is made anew as the error says. Returns what takes the two inputs out again. */
export function recreateGone({ judge, program }: Scene): (() => void) | undefined {
  const isGone = ({ logical }: Declared): boolean =>
    judge.results.some((one) => one.logical === logical && one.failure?.text.includes('onMissing: "recreate"'));
  const gone = program.declared.filter(isGone).map((declared) => ({ declared, args: declared.args }));
  for (const { declared } of gone)
    declared.args = { ...declared.args, onMissing: "recreate", deletionProtection: false };
  if (gone.length === 0) return undefined;
  return () => {
    for (const { declared, args } of gone) declared.args = args;
  };
}

/** The ids that errors have named and that belong to the program. */
export function adoptable({ judge, state, program, emulator }: Scene): string[] {
  const declared = new Set(program.declared.map(({ logical }) => logical));
  const relabelled = [...state.entries.values()].filter(({ logical }) => !declared.has(logical));
  const candidates = [...judge.strays(allOf(state)), ...relabelled].map(({ id }) => id);
  const facts = factsOf(emulator.state());
  const unfit = new Set(facts.filter((fact) => isUnfit(program.declared, fact)).map(({ id }) => id));
  const named = [...candidates, ...judge.left].filter((id) => judge.wasTold(id) && !unfit.has(id));
  const duplicates = new Map(facts.map((fact) => [fact.id, `${fact.kind} ${fact.identity}`]));
  // Of several duplicates, one can be adopted: the first one named.
  return named.filter(
    (id, index) => named.findIndex((other) => duplicates.get(other) === duplicates.get(id)) === index,
  );
}

/** Whether all that errors call missing, with everything else, is really gone. */
export function isBelievable({ judge, state, emulator }: Pick<Scene, "judge" | "state" | "emulator">): boolean {
  const doubted = judge.results.filter(({ failure }) => failure?.text.includes("DBCLOUD_BELIEVE_GONE"));
  const isDoubted = ({ logical, kind }: Entry): boolean =>
    doubted.some((one) => one.logical === logical && one.kind === kind);
  const there = new Set(factsOf(emulator.state()).map(({ id }) => id));
  return doubted.length > 0 && allOf(state).every((entry) => !isDoubted(entry) || !there.has(entry.id));
}

/** For each id, the resource of the program that is to have the object, as the errors say it. */
export function wordsToAdopt({ program, state, emulator }: Scene, ids: readonly string[]): string[] {
  const idOf = (logical: string): string | undefined => state.entries.get(logical)?.id;
  const facts = factsOf(emulator.state()).filter(({ id }) => ids.includes(id));
  return facts.flatMap((fact) =>
    program.declared
      .filter(({ kind, args }) => kind === fact.kind && identityOf(kind, resolve(args, idOf)) === fact.identity)
      .map(({ logical }) => `${logical}=${fact.id}`),
  );
}

/**
 * Entries whose replacement can be forced: in the state, and on the server under the program's name. Under another name
 * the new object would be made beside it, and after a kill at that moment only the engine's pending operations would
 * name it.
 */
export function forcible({ judge, program, state, emulator }: Scene): Entry[] {
  const facts = factsOf(emulator.state());
  return program.declared.flatMap(({ logical, kind, args }) => {
    const entry = state.entries.get(logical);
    const identity = identityOf(
      kind,
      resolve(args, (needed) => state.entries.get(needed)?.id),
    );
    const isAsDeclared = facts.some(
      (fact) => fact.kind === kind && fact.id === entry?.id && fact.identity === identity,
    );
    return entry === undefined || !isAsDeclared || judge.isOutcomeUnknown(logical) ? [] : [entry];
  });
}

/** Changes the program so that the provider has no reason left to refuse it. */
export function resolveConflicts(scene: Scene): void {
  const { program, state, judge, emulator } = scene;
  // Nothing names what a lost or killed create of a replacement has made while its resource still has the old object.
  for (const fact of judge.strays(allOf(state))) {
    if (!state.entries.has(judge.makerOf(fact) ?? "")) continue;
    judge.deletedByHand.add(fact.id);
    deleteByHand(emulator, fact);
  }
  renameLeft(scene);
  // Pulumi: a replaced object is deleted after all creates. A peering has no other name that its successor could get meanwhile.
  const lacksPeering = program.declared.some(({ logical, kind }) => kind === "peering" && !state.entries.has(logical));
  for (const entry of state.replaced.filter(
    ({ kind, id }) => kind === "peering" && lacksPeering && !isLive(state, id),
  )) {
    state.replaced = state.replaced.filter((one) => one !== entry);
    judge.deletedByHand.add(entry.id);
    if (isThere(emulator, entry)) deleteByHand(emulator, entry);
  }
  for (const declared of program.declared) {
    // What nobody replaces any more, and what shows each change.
    const {
      ignoreChanges: _,
      policy: __,
      replaceOnChanges: ___,
      replaceWith: ____,
      ...options
    } = declared.options ?? {};
    const { trigger } = state.entries.get(declared.logical) ?? { trigger: options.replacementTrigger };
    declared.options = { ...options, replacementTrigger: trigger };
  }
  keepProtected(scene);
  giveUpReplacements(scene);
  const facts = factsOf(emulator.state()).filter(({ kind }) => kind === "service");
  for (const declared of program.declared) {
    const name = String(declared.args["name"]);
    const namesakes = declared.kind === "service" ? facts.filter(({ identity }) => identity === name) : [];
    // Pulumi: a replaced object with a pending deletion is deleted after all creates, and occupies its name until then.
    // An object that the last create may have made is adopted under the old name.
    const sets = declared.kind === "readReplicaSet" ? emulator.state().replicaSets : [];
    const known = [...namesakes, ...sets.filter((set) => set.name === name)].every(({ id }) => isInState(state, id));
    const areAllKnown = known && ["service", "readReplicaSet"].includes(declared.kind);
    const mayBeMade = judge.isOutcomeUnknown(declared.logical) && !areAllKnown;
    const isOwn = namesakes.some(({ id }) => id === state.entries.get(declared.logical)?.id);
    const regionCode = state.entries.get(declared.logical)?.inputs["regionCode"];
    const isToMove = regionCode !== undefined && declared.args["regionCode"] !== regionCode;
    const isDoomed =
      !(isOwn && !isToMove) &&
      !mayBeMade &&
      state.replaced.some(
        ({ kind, id, outputs }) => kind === declared.kind && outputs["name"] === name && !isLive(state, id),
      );
    const isMissing = !state.entries.has(declared.logical);
    // The error names all of them. One that fits is adopted by its id, whatever the others are.
    const isRefused = isMissing && namesakes.length > 0 && !namesakes.some((fact) => fits(declared, fact));
    // Of its own and somebody else's object, it has its own, or takes it by the id.
    const hasOwn = isOwn || (mayBeMade && namesakes.some(({ id }) => !judge.foreign.has(id)));
    // The successor of its own is refused because of somebody else's.
    const isRefusedBy = judge.results.some(({ logical, failure }) => {
      return logical === declared.logical && failure?.text.startsWith("there is already service") === true;
    });
    const isForeign = declared.kind === "service" && judge.isTaken(name) && (!hasOwn || isRefusedBy);
    const isOther = isMissing && sets.some((set) => set.name === name && set.nodes !== declared.args["nodes"]);
    if (isForeign || isDoomed || isRefused || isOther) declared.args = { ...declared.args, name: `${name}-of-mine` };
    else if ((isMissing && namesakes.length > 0) || isForkOfFormer(declared, state))
      declared.args = withoutFork(declared);
    // An operator who adopts an object that is stopped, and needs it as a parent, starts it.
    const isParent = isNeeded(program.declared, declared.logical);
    if (isParent && namesakes[0]?.status === "PAUSED") declared.args = { ...declared.args, paused: false };
  }
}

/**
 * What no state has may hold the name to which a resource is to be renamed: a create was killed, and nothing showed its object to
 * the one after it. No run can adopt it, as the resource has another object by now. It is renamed in the console, as the error
 * says.
 */
function renameLeft({ state, judge, emulator }: Scene): void {
  const refused = judge.failures.filter(({ text }) => text.includes("rename it in the console"));
  for (const { kind, id, values } of factsOf(emulator.state())) {
    const isNamed = refused.some(({ text }) => text.includes(`(${id}, `));
    if (!judge.left.has(id) || isInState(state, id) || !isNamed) continue;
    const name = `${String(values["name"])}-left`;
    if (kind === "service") emulator.mutate.service(id, { name });
    if (kind === "vpc") emulator.mutate.vpc(id, { name });
  }
}

/**
 * A run never deletes a protected object that was replaced. The operator removes the tag that protects it; if the state
 * has stored the protection, the operator removes it from the state and it stays in the cloud, as the error says. The
 * delete of one that was deleted by hand is refused too, because another server may have answered: it is also removed
 * from the state. A replica set of a service that has left the state so is removed from it too, as its error says.
 */
export function settleProtected(scene: Scene): void {
  const { state, program, emulator, judge } = scene;
  for (const entry of state.replaced) {
    const { id, outputs } = entry;
    const live = emulator.state().services.find((service) => service.id === id);
    if (isLive(state, id)) continue;
    if (outputs["deletionProtection"] === true) {
      state.replaced = state.replaced.filter((one) => one !== entry);
      if (live !== undefined) judge.left.add(id);
    } else if (live?.environment === "PROD") untag(scene, id);
  }
  const declared = new Set(program.declared.map(({ logical }) => logical));
  for (const { id, logical, outputs } of state.entries.values()) {
    const live = emulator.state().services.find((service) => service.id === id);
    const isTagged = live?.environment === "PROD" && outputs["environment"] !== "PROD";
    if (isTagged && !declared.has(logical)) untag(scene, id);
  }
  // The entry of a set has the protection of its service, and no handler can see that the service has left the state.
  // A set that was replaced by itself has two entries.
  for (const { id, kind, logical, outputs } of allOf(state)) {
    const isRefused = judge.results.some(
      (one) => one.logical === logical && one.failure?.text.includes("If the owner has left the state") === true,
    );
    if (kind !== "readReplicaSet" || !isRefused || isInState(state, String(outputs["serviceId"]))) continue;
    if (state.entries.get(logical)?.id === id) state.entries.delete(logical);
    state.replaced = state.replaced.filter((entry) => entry.id !== id);
    judge.left.add(id);
  }
  // A VPC does not go while somebody else's service is in it.
  for (const { id, vpcId } of emulator.state().services)
    if (vpcId !== undefined && judge.foreign.has(id)) emulator.mutate.service(id, { vpcId: undefined });
}

function untag({ emulator, judge }: Scene, id: string): void {
  emulator.mutate.service(id, { environment: "DEV" });
  judge.noteTouched(id, ["environment"]);
}

function isInState(state: Scene["state"], id: string): boolean {
  return isLive(state, id) || state.replaced.some((entry) => entry.id === id);
}

/** Whether a live entry has the object, so that it is not deleted. */
function isLive({ entries }: Scene["state"], id: string): boolean {
  return [...entries.values()].some((entry) => entry.id === id);
}

/** A protected resource that was removed from the program is declared again, without its protection. */
function keepProtected({ program, state, emulator, judge }: Scene): void {
  const declared = new Set(program.declared.map(({ logical }) => logical));
  const names = new Set(program.declared.map(({ args }) => args["name"]));
  const entries = [...state.entries.values()];
  const heldIds = new Set(entries.filter((entry) => declared.has(entry.logical)).map(({ id }) => id));
  for (const { logical, kind, id, inputs, outputs } of entries) {
    const name = emulator.state().services.find((service) => service.id === id)?.name;
    const namesake = program.declared.find(({ args }) => args["name"] === name);
    const namesakeId = namesake && state.entries.get(namesake.logical)?.id;
    // A resource that was made while nobody could see this one has its name: it leaves the state, and stays.
    if (namesakeId !== undefined && namesakeId !== id && !declared.has(logical)) {
      state.entries.delete(logical);
      judge.left.add(id);
    }
    // One whose name is declared again will be adopted; one that was renamed since has been adopted already.
    const isOwned = heldIds.has(id) || names.has(name);
    if (isOwned || name === undefined || outputs["deletionProtection"] !== true) continue;
    const args: Values = { ...visible(inputs), name, deletionProtection: false };
    // Its VPC may be about to be deleted.
    delete args["vpcId"];
    program.declared.unshift({ logical, kind, args });
  }
}

/** A protected resource is not replaced: its region stays the same. */
function giveUpReplacements({ program, state }: Scene): void {
  for (const declared of program.declared) {
    const entry = state.entries.get(declared.logical);
    const regionCode = entry?.inputs["regionCode"];
    const { deletionProtection, environment } = declared.args;
    const isProtected =
      entry?.outputs["deletionProtection"] === true || deletionProtection === true || environment === "PROD";
    if (declared.kind !== "service" || regionCode === undefined || !isProtected) continue;
    declared.args = { ...declared.args, regionCode };
  }
}

/** Whether it could be adopted: its immutable properties are as declared. */
function fits({ args }: Declared, { values }: Fact): boolean {
  return ["regionCode", "addons"].every((key) => args[key] === undefined || isDeepStrictEqual(args[key], values[key]));
}

/** Whether a service of the program has its name but cannot adopt it. */
function isUnfit(program: readonly Declared[], fact: Fact): boolean {
  return (
    fact.kind === "service" &&
    program.some((one) => one.kind === "service" && one.args["name"] === fact.identity && !fits(one, fact))
  );
}

/**
 * Whether its parent was created again since, so that it would have to be forked again; as the error says, `forkFrom`
 * is removed.
 */
function isForkOfFormer({ logical, args }: Declared, { entries }: Scene["state"]): boolean {
  const parentOf = (forkFrom: unknown): unknown => (forkFrom as Values | undefined)?.["serviceId"];
  const recorded = parentOf(entries.get(logical)?.inputs["forkFrom"]);
  const declared = parentOf(resolve(args, (needed) => entries.get(needed)?.id)["forkFrom"]);
  return recorded !== undefined && declared !== undefined && recorded !== declared;
}

/** The fork of a parent that was created again becomes an ordinary service. */
function withoutFork({ args }: Declared): Declared["args"] {
  const others = { ...args };
  delete others["forkFrom"];
  return others;
}
