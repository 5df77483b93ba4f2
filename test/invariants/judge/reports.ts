// Checks each report of the engine against the server at once.

import { markSecrets } from "../../../provider/host/shapes";
import type { Values } from "../../../provider/domain/values/value";
import { blame, type Evidence, find, forget, isExplained } from "./evidence";
import type { Entry, Failure, Named, Observer, Operation } from "./observer";
import { isRepeat } from "./overlaps";
import { differences, identityOf, isSettled } from "./truth";

export function reportsTo(evidence: Evidence): Observer {
  const { leaks, asked, touched, creates } = evidence;
  return {
    operating: (operation) => void (evidence.operations[operation] += 1),
    creating({ kind, logical }, inputs) {
      creates.set(`${kind} ${identityOf(kind, inputs)}`, logical);
      if (typeof inputs["password"] === "string") leaks.noteSecret(inputs["password"]);
    },
    created: (declared, id) => created(evidence, declared, id),
    converged: (entry) => converged(evidence, entry),
    // Pulumi: the state still has the old values, and an update back to them sends nothing.
    cutOff: (entry) => void touched.set(entry.id, new Set(Object.keys(find(evidence, entry)?.values ?? {}))),
    seen: ({ id }) => void touched.delete(id),
    replacing({ logical, kind, args }, { id, outputs }) {
      const isAllowed = kind !== "service" || args["allowReplace"] === true;
      const isProtected = outputs["deletionProtection"] === true;
      if (!isAllowed || isProtected)
        blame(evidence, "unasked delete", `${logical} is to be replaced, which it does not allow`);
      asked.replaced.add(id);
    },
    forcing: ({ id }) => void asked.replaced.add(id),
    deleting({ logical, id, outputs, isPending }) {
      if (outputs["deletionProtection"] === true) return;
      asked.deleted.add(id);
      // If a live and a pending entry have the same id, the live one keeps the object.
      if (!isPending) asked.rows.add(`${logical} ${id}`);
    },
    forgotten: (entry, why) => forgotten(evidence, entry, why),
    failed: (operation, declared, failure) => failed(evidence, operation, declared, failure),
    kept(entry) {
      const plain: Values = { ...markSecrets(entry.outputs) };
      delete plain["password"];
      delete plain["initialPassword"];
      leaks.said(JSON.stringify(plain));
    },
  };
}

function created(evidence: Evidence, { logical, kind }: Named, id: string): void {
  evidence.asked.left.delete(id);
  forget(evidence.creates, logical);
  forget(evidence.unknownOutcomes, logical);
  if (evidence.foreign.has(id)) blame(evidence, "unasked delete", `${logical} adopted ${id}, which is somebody else's`);
  const isThere = find(evidence, { id, kind }) !== undefined || isExplained(evidence, id);
  if (!isThere) blame(evidence, "untrue", `${logical} was created as ${id}, which is not there`);
}

function converged(evidence: Evidence, entry: Entry): void {
  const fact = find(evidence, entry);
  const { logical, id, inputs } = entry;
  if (fact === undefined) {
    if (!isExplained(evidence, id)) blame(evidence, "untrue", `${logical} is done, and ${id} is not there`);
    return;
  }
  const touched = evidence.touched.get(id);
  const unmanaged = Object.keys(fact.values).filter((key) => inputs[key] === undefined);
  const wrong = differences(entry, fact, new Set([...unmanaged, ...(touched ?? [])]));
  if (wrong.length > 0) blame(evidence, "untrue", `${logical} (${id}) is done, but ${wrong.join("; ")}`);
  // An update that changes only settings of the provider reads nothing.
  const changes = evidence
    .world()
    .ledger()
    .filter((one) => one.id === id && one.by === "api");
  const last = changes.at(-1);
  // The same call again after a kill: the effect of the first shows while the second runs.
  const isUnclear =
    last === undefined || last.at < evidence.begunMs || isRepeat(evidence.world(), last) || touched !== undefined;
  if (!isUnclear && !isSettled(fact)) blame(evidence, "untrue", `${logical} (${id}) is done, and still ${fact.status}`);
}

function forgotten(evidence: Evidence, entry: Entry, why: "delete" | "read"): void {
  const isThere = find(evidence, entry) !== undefined;
  if (!isThere) return;
  if (why === "read") blame(evidence, "lost id", `${entry.logical}: a read forgot ${entry.id}, which is there`);
  else if (entry.outputs["onDelete"] === "stop") evidence.asked.left.add(entry.id);
}

function failed(evidence: Evidence, operation: Operation, { logical }: Named, failure: Failure): void {
  evidence.failures.push(failure);
  evidence.leaks.said(failure.text);
  evidence.told += `${failure.text}\n`;
  if (failure.code === undefined) blame(evidence, "untrue", `${logical}: a defect: ${failure.text}`);
  if (operation !== "create") return;
  for (const [key, whose] of evidence.creates) {
    if (whose === logical && failure.code === "OUTCOME_UNKNOWN") evidence.unknownOutcomes.set(key, logical);
  }
  forget(evidence.creates, logical);
}
