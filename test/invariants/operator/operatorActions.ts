// What a sensible operator does: edits the program, and makes something of what the provider says: adopts what is
// theirs, gives up a name that is somebody else's, keeps what is protected.

import { isDeepStrictEqual } from "node:util";
import type { Values } from "../../../provider/domain/values/value";
import { visible } from "../../../provider/lifecycle/state/state";
import { needsOf, resolve, type Declared } from "./declared";
import type { Scene } from "./drift";
import { edit } from "./edit";
import type { Entry } from "../judge/observer";
import type { Random } from "../../support/random";
import { factsOf, identityOf, type Fact } from "../judge/truth";

/** Changes the program; leaves alone what has an unknown outcome, and what such an object may live in. */
export function editProgram({ judge, program, state }: Scene, random: Random): string {
  const isOpen = (logical: string): boolean => judge.isOutcomeUnknown(logical) || !state.entries.has(logical);
  const isOutcomeUnknown = (logical: string): boolean =>
    isOpen(logical) || program.declared.some((one) => needsOf(one.args).includes(logical) && isOpen(one.logical));
  const isProtected = (logical: string): boolean => state.entries.get(logical)?.outputs["deletionProtection"] === true;
  return edit({ program, isOutcomeUnknown, isProtected }, random);
}

/** The ids that errors have named and that belong to the program. */
export function adoptable({ judge, state, program, emulator }: Scene): string[] {
  const declared = new Set(program.declared.map(({ logical }) => logical));
  const relabelled = [...state.entries.values()].filter(({ logical }) => !declared.has(logical));
  const candidates = [...judge.strays(state), ...relabelled].map(({ id }) => id);
  const facts = factsOf(emulator.state());
  const unfit = new Set(facts.filter((fact) => isUnfit(program.declared, fact)).map(({ id }) => id));
  const named = [...candidates, ...judge.left()].filter((id) => judge.wasTold(id) && !unfit.has(id));
  const duplicates = new Map(facts.map((fact) => [fact.id, `${fact.kind} ${fact.identity}`]));
  // Of several that fit, one can be adopted: the one that the program made.
  return named.filter(
    (id, index) => named.findIndex((other) => duplicates.get(other) === duplicates.get(id)) === index,
  );
}

/**
 * What could be replaced by force: it is in the state, and on the server as the program names it. Under another name the
 * new one would be made beside it, and a kill just then leaves one that only the engine's pending operations tell of.
 */
export function forcible({ judge, program, state, emulator }: Scene): Entry[] {
  const facts = factsOf(emulator.state());
  return program.declared.flatMap(({ logical, kind, args }) => {
    const entry = state.entries.get(logical);
    const identity = identityOf(
      kind,
      resolve(args, (needed) => state.entries.get(needed)?.id),
    );
    const isThere = facts.some((fact) => fact.kind === kind && fact.id === entry?.id && fact.identity === identity);
    return entry === undefined || !isThere || judge.isOutcomeUnknown(logical) ? [] : [entry];
  });
}

/** Changes the program so that the provider has no more reason to refuse it. */
export function resolveConflicts(scene: Scene): void {
  const { program, state, judge, emulator } = scene;
  keepProtected(scene);
  giveUpReplacements(scene);
  const facts = factsOf(emulator.state()).filter(({ kind }) => kind === "service");
  for (const declared of program.declared) {
    const name = String(declared.args["name"]);
    const namesakes = declared.kind === "service" ? facts.filter(({ identity }) => identity === name) : [];
    // Pulumi: what was replaced and is still to be deleted goes after all creates, and its name is taken until then. What
    // the last create may have made is adopted under the old name.
    const areAllKnown = declared.kind === "service" && namesakes.every(({ id }) => isInState(state, id));
    const mayBeMade = judge.isOutcomeUnknown(declared.logical) && !areAllKnown;
    const isDoomed =
      !mayBeMade &&
      state.replaced.some(
        ({ kind, id, outputs }) => kind === declared.kind && outputs["name"] === name && !isLive(state, id),
      );
    const isMissing = !state.entries.has(declared.logical);
    // The error names all of them. One that fits is adopted by its id, whatever the others are.
    const isRefused = isMissing && namesakes.length > 0 && !namesakes.some((fact) => fits(declared, fact));
    const isForeign = declared.kind === "service" && judge.isTaken(name);
    if (isForeign || isDoomed || isRefused) declared.args = { ...declared.args, name: `${name}-of-mine` };
    else if ((isMissing && namesakes.length > 0) || isForkOfFormer(declared, state))
      declared.args = withoutFork(declared);
    // What was left in the cloud was stopped; whoever takes it back and builds on it starts it.
    const isParent = program.declared.some(({ args }) => needsOf(args).includes(declared.logical));
    if (isParent && namesakes[0]?.status === "PAUSED") declared.args = { ...declared.args, paused: false };
  }
}

/**
 * What was replaced and is protected is never deleted by a run: the tag that protects it comes off, or, where the state has
 * stored the protection by then, the state forgets it and it stays in the cloud, as the error says. One that was removed by
 * hand is refused as well, because another server may have answered: the state forgets it.
 */
export function settleProtected({ state, emulator, judge }: Scene): void {
  for (const entry of state.replaced) {
    const { id, outputs } = entry;
    const live = emulator.state().services.find((service) => service.id === id);
    if (isLive(state, id)) continue;
    if (outputs["deletionProtection"] === true) {
      state.replaced = state.replaced.filter((one) => one !== entry);
      if (live !== undefined) judge.isLeft(id);
    } else if (live?.environment === "PROD") {
      emulator.mutate.service(id, { environment: "DEV" });
      judge.isTouched(id, ["environment"]);
    }
  }
}

function isInState(state: Scene["state"], id: string): boolean {
  return isLive(state, id) || state.replaced.some((entry) => entry.id === id);
}

/** Another entry has it, so it is not deleted. */
function isLive({ entries }: Scene["state"], id: string): boolean {
  return [...entries.values()].some((entry) => entry.id === id);
}

/** What was taken out of the program and must not be deleted comes back, and gives up its protection first. */
function keepProtected({ program, state, emulator }: Scene): void {
  const declared = new Set(program.declared.map(({ logical }) => logical));
  const names = new Set(program.declared.map(({ args }) => args["name"]));
  const entries = [...state.entries.values()];
  const heldIds = new Set(entries.filter((entry) => declared.has(entry.logical)).map(({ id }) => id));
  for (const { logical, kind, id, inputs, outputs } of entries) {
    const name = emulator.state().services.find((service) => service.id === id)?.name;
    // One whose name is declared again will be adopted; one that was renamed since has been already.
    const isOwned = heldIds.has(id) || names.has(name);
    if (isOwned || name === undefined || outputs["deletionProtection"] !== true) continue;
    const args: Values = { ...visible(inputs), name, deletionProtection: false };
    // The VPC that it is in may be about to go.
    delete args["vpcId"];
    program.declared.unshift({ logical, kind, args });
  }
}

/** What is protected is not replaced: it stays where it is. */
function giveUpReplacements({ program, state }: Scene): void {
  for (const declared of program.declared) {
    const entry = state.entries.get(declared.logical);
    const regionCode = entry?.inputs["regionCode"];
    if (declared.kind !== "service" || regionCode === undefined || entry?.outputs["deletionProtection"] !== true)
      continue;
    declared.args = { ...declared.args, regionCode };
  }
}

/** Whether it could be adopted: what cannot change is as declared. */
function fits({ args }: Declared, { values }: Fact): boolean {
  return ["regionCode", "addons"].every((key) => args[key] === undefined || isDeepStrictEqual(args[key], values[key]));
}

/** Whether it has the name of a service of the program, which cannot adopt it. */
function isUnfit(program: readonly Declared[], fact: Fact): boolean {
  return (
    fact.kind === "service" &&
    program.some((one) => one.kind === "service" && one.args["name"] === fact.identity && !fits(one, fact))
  );
}

/** Whether its parent was created again since, so that it would have to be forked again; as the error says, `forkFrom` is dropped. */
function isForkOfFormer({ logical, args }: Declared, { entries }: Scene["state"]): boolean {
  const parentOf = (forkFrom: unknown): unknown => (forkFrom as Values | undefined)?.["serviceId"];
  const recorded = parentOf(entries.get(logical)?.inputs["forkFrom"]);
  const declared = parentOf(resolve(args, (needed) => entries.get(needed)?.id)["forkFrom"]);
  return recorded !== undefined && declared !== undefined && recorded !== declared;
}

/** The fork of a parent that was created again in the meantime has become an ordinary service. */
function withoutFork({ args }: Declared): Declared["args"] {
  const others = { ...args };
  delete others["forkFrom"];
  return others;
}
