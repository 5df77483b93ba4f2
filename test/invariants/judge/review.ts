// The checks after each command, and after the recovery.

import type { LedgerEntry } from "../../../emulator/index";
import { blame, type Evidence, factsNow, find } from "./evidence";
import type { State } from "./observer";
import { differences, type Fact, isLeaving } from "./truth";

/** `wasKilled`: the outcomes of the command's creates may be unknown. */
export function review(evidence: Evidence, state: State, wasKilled: boolean): void {
  const { world, leaks, duplicates, asked, creates, unknownOutcomes, deletedByHand } = evidence;
  for (const { password, initialPassword } of world().state().services) {
    leaks.noteSecret(password);
    leaks.noteSecret(initialPassword);
  }
  for (const line of leaks.search()) blame(evidence, "leak", `a secret in: ${line}`);
  for (const what of duplicates.found((id) => asked.replaced.has(id))) blame(evidence, "duplicate", what);
  const ledger = world().ledger();
  for (const entry of ledger.slice(evidence.ledgerSeen)) checkLedger(evidence, entry);
  evidence.ledgerSeen = ledger.length;

  if (wasKilled) for (const [key, logical] of creates) unknownOutcomes.set(key, logical);
  creates.clear();
  for (const { kind, identity, id } of strays(evidence, state)) {
    const isKnown = evidence.told.includes(id) || unknownOutcomes.has(`${kind} ${identity}`);
    if (!isKnown) blame(evidence, "orphan", `${kind} ${identity} (${id}) is in no state, and nobody was told`);
  }
  const there = new Set(factsNow(evidence).map(({ kind, id }) => `${kind} ${id}`));
  for (const { kind, id, logical } of state.entries.values()) {
    const isThere = there.has(`${kind} ${id}`) || deletedByHand.has(id) || asked.rows.has(`${logical} ${id}`);
    if (!isThere) blame(evidence, "lost id", `${logical}: ${id} is in the state and not on the server`);
  }
}

function checkLedger(evidence: Evidence, entry: LedgerEntry): void {
  if (entry.by !== "api") return;
  const { asked, foreign } = evidence;
  const { id, kind, operation, event } = entry;
  const object = `${kind} ${entry.name} (${id})`;
  // The parts of a service or a VPC are deleted with it.
  const isPart = operation === (kind === "replicaSet" ? "deleteService" : "deleteVpc") && !/^(service|vpc)$/.test(kind);
  if (event === "deleted" && !asked.deleted.has(id) && !isPart)
    blame(evidence, "unasked delete", `${object} by ${operation}`);
  if (foreign.has(id))
    blame(evidence, "unasked delete", `${object} is somebody else's, and was ${event} by ${operation}`);
  // Few servers show which change of a VPC or a peering runs.
  const isShown = kind === "service" || kind === "replicaSet";
  if (entry.overlapped && isShown && !evidence.overlaps.isUnseen(entry))
    blame(evidence, "overlap", `${operation} of ${object} while another change was running`);
}

/** Reports every difference between server and state. */
export function compare(evidence: Evidence, state: State): void {
  for (const entry of state.entries.values()) {
    const fact = find(evidence, entry);
    const lines = fact === undefined ? ["it is not on the server"] : differences(entry, fact);
    for (const line of lines) blame(evidence, "untrue", `${entry.logical} (${entry.id}): ${line}`);
  }
  for (const { kind, identity, id } of strays(evidence, state))
    blame(evidence, "orphan", `${kind} ${identity} (${id}) is still in no state`);
}

/** The objects of the program that are on the server and in no state. */
export function strays(evidence: Evidence, state: State): Fact[] {
  const { foreign, asked } = evidence;
  const known = new Set([...state.entries.values(), ...state.replaced].map(({ id }) => id));
  const isOurs = ({ id }: Fact): boolean => !known.has(id) && !foreign.has(id) && !asked.left.has(id);
  // What belongs to a service that was left stays with it, unless another entry has the service.
  const isInside = ({ values: { serviceId } }: Fact): boolean =>
    typeof serviceId === "string" && asked.left.has(serviceId) && !known.has(serviceId);
  return factsNow(evidence).filter((fact) => isOurs(fact) && !isLeaving(fact) && !isInside(fact));
}
