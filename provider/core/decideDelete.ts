// Decides each delete, and whether a replacement may begin, because that ends with a delete. Pure.

import type { ErrorName } from "../domain/errorName";
import { RefusedError } from "../domain/errors";
import { show } from "../domain/values/value";
import type { EntryFacts, Unshared } from "./runLog";

/** The tag PROD of the live object, or of the owner where that counts, as reads before the delete have shown it. */
export type LiveTag = { is: "production" } | { is: "unreadable"; why: string; isTimeUp: boolean };

/** Everything that decides what becomes of an entry of the state and its object. */
export interface DeleteFacts extends Pick<
  EntryFacts,
  "label" | "id" | "tagProtects" | "mayGoUnread" | "stopsOnDelete"
> {
  /** Which resource of the program keeps the object, in words that end a sentence. */
  keeper: string | undefined;
  /** Which resource is to adopt the object, or its owner, in this run. */
  claimant: { by: string; label: string } | undefined;
  /** By this entry, by what the program says in this run, or by another entry of the state for the same object. */
  protectedBy: "entry" | "program" | "otherEntry" | undefined;
  /** The owner, unless the program keeps it. "byTag": only its live tag can protect it. */
  owner: { label: string; is: "protected" | "byTag" | "unprotected" } | undefined;
  /** The program has the resource: it is replaced, or an earlier run left this entry to be deleted. */
  isRegistered: boolean;
  /** Pulumi: under its name the program now reads another object, by `get` or an import, and this entry leaves the state. */
  isReader: boolean;
  /** Its parts by the state. Only for a delete: a replacement begins before its parts have moved. */
  parts?: readonly string[];
  /**
   * Pulumi: with `--continue-on-error` it deletes also what the program has not registered because this resource failed before.
   * Only of an object that no resource of the program has or replaces.
   */
  failed?: string | undefined;
  /** Another provider of the run may keep the object, or want it. */
  unshared: Unshared | undefined;
  /** Undefined without that tag, and where it does not count. */
  tag?: LiveTag | undefined;
}

export type Refusal =
  | "wanted"
  | "read"
  | "protected"
  | "program"
  | "parts"
  | "otherEntry"
  | "stopped"
  | "owner"
  | "ownerTag"
  | "afterFailure"
  | "unshared"
  | "tag"
  | "unread";

export type Decision = { is: "delete" } | { is: "keep"; by: string } | { is: "refuse"; because: Refusal };

export function decideDelete(facts: DeleteFacts): Decision {
  const { keeper, claimant, protectedBy, owner, tag } = facts;
  const refuse = (because: Refusal): Decision => ({ is: "refuse", because });
  if (keeper !== undefined) return { is: "keep", by: keeper };
  if (claimant !== undefined) return refuse("wanted");
  if (facts.isReader) return refuse("read");
  if (protectedBy === "entry") return refuse("protected");
  if (protectedBy === "program") return refuse("program");
  if (protectedBy === "otherEntry") return refuse("otherEntry");
  if (facts.stopsOnDelete) return refuse("stopped");
  if (owner?.is === "protected") return refuse("owner");
  if (facts.parts !== undefined && facts.parts.length > 0) return refuse("parts");
  if (facts.failed !== undefined) return refuse("afterFailure");
  if (facts.unshared !== undefined) return refuse("unshared");
  if (owner?.is === "byTag" && tag?.is === "production") return refuse("ownerTag");
  if (facts.tagProtects && tag?.is === "production") return refuse("tag");
  // Without protection an object that nobody can read goes, and so does a replica set, which holds no data.
  const isNeeded = facts.tagProtects && !facts.mayGoUnread;
  if (tag?.is === "unreadable" && (isNeeded || tag.isTimeUp)) return refuse("unread");
  return { is: "delete" };
}

const UNSHARED: Record<Unshared, [what: string, remedy: string]> = {
  unwritten: [
    "could not be announced to the other providers of this run, because no file can be written to `dbcloud/runs` in PULUMI_HOME (default: ~/.pulumi), nor to the temporary directory",
    "Set PULUMI_HOME to a writable folder, then run this command again.",
  ],
  unread: [
    "may be in use by another provider of this run, which has written what this version of pulumi-dbcloud cannot read",
    "Use one version of pulumi-dbcloud, and of its plugin, for all providers of the program, then run this command again.",
  ],
};

/** An adoption without knowing what the other providers of the run do. */
export function notShared(label: string, why: Unshared, outcome: string): RefusedError {
  const [what, remedy] = UNSHARED[why];
  return new RefusedError("run-not-shared", `${label} ${what}; ${outcome}`, remedy);
}

/** How the sentence of a refusal ends. */
export const OUTCOME = {
  delete: "nothing was deleted",
  replace: "so it is not replaced; nothing was created",
} as const;

/** What becomes of the entry. Throws a refusal. */
export function decideOrRefuse(facts: DeleteFacts, outcome: keyof typeof OUTCOME): Exclude<Decision, { is: "refuse" }> {
  const decision = decideDelete(facts);
  if (decision.is === "refuse") throw refusalOf(decision.because, facts, outcome);
  return decision;
}

export function refusalOf(because: Refusal, facts: DeleteFacts, outcome: keyof typeof OUTCOME): RefusedError {
  const [errorName, what, remedy] = REFUSALS[because](facts, outcome);
  return new RefusedError(errorName, `${facts.label} ${what}; ${OUTCOME[outcome]}`, remedy);
}

const SWITCH_OFF = "Set `deletionProtection: false`";
/** Pulumi: no update reaches such an entry, and its URN alone is ambiguous to `pulumi state`. */
const PENDING =
  'If the preview shows `delete original`, no update reaches it: run `pulumi state delete` with its URN in a terminal, and choose the one with "Pending Deletion".';

type Refuse = (
  facts: DeleteFacts,
  outcome: keyof typeof OUTCOME,
) => [errorName: ErrorName, what: string, remedy: string];

const REFUSALS: Record<Refusal, Refuse> = {
  wanted: ({ label, claimant: { by, label: wanted } = { by: "", label } }) => [
    "claimed",
    `${wanted === label ? "is" : `belongs to ${wanted}, which is`} claimed by ${by} (by its id or its name), and that adoption has not succeeded`,
    `To keep it, fix what stopped that adoption and run \`pulumi up\` without \`--replace\`; to delete it, remove \`adoptId\` from ${by}, or run without DBCLOUD_ADOPT.`,
  ],
  protected: (facts, outcome) => [
    "protected",
    "is protected against deletion (deletionProtection is stored as true)",
    outcome === "replace"
      ? `Undo the change that replaces it. To replace it all the same, then set \`deletionProtection: false\`, run \`pulumi up\`, and make that change again.`
      : `${SWITCH_OFF} in the program and run \`pulumi up\`, then run this command again.${pendingRemedy(facts)}`,
  ],
  program: (facts) => [
    "protected",
    "is protected against deletion by what the program says now",
    `To replace it, remove that protection (\`deletionProtection: true\`, \`environment: "PROD"\`) and run \`pulumi up\`; to keep it, undo the change that replaces it.${pendingRemedy(facts)}`,
  ],
  read: ({ id }) => [
    "read-in-its-place",
    "would be deleted, because the program now reads another object under its name, by `get` or an import, and its entry leaves the state",
    `To manage it again, declare a resource of another name with \`adoptId: ${show(id)}\`; to delete it, remove that resource again and run \`pulumi up\`.`,
  ],
  parts: ({ parts = [] }) => [
    "not-empty",
    `still has parts in the state: ${parts.join(", ")}`,
    "Move them to another owner, or remove them from the program (see `ignoreChanges`), then run this command again.",
  ],
  otherEntry: () => [
    "two-entries",
    "has two entries in the state, and the other one is protected against deletion",
    "Run `pulumi up`: it drops the obsolete entry from the state and keeps the object. If there is no other entry by now, run it once with `deletionProtection: true`, then with false.",
  ],
  stopped: (facts) => [
    "protected",
    'is protected against deletion by `onDelete: "stop"`, which an earlier version saved and this one does not carry out',
    `To keep it stopped, set \`paused: true\` and Pulumi's \`retainOnDelete\`, run \`pulumi up\`, then remove it; to delete it, run \`pulumi state delete\` with its URN, then delete it in the console.${pendingRemedy(facts)}`,
  ],
  owner: ({ owner }) => [
    "owner-protected",
    `belongs to ${owner?.label}, which is protected against deletion and not kept by this run`,
    ownerRemedy("pulumi up"),
  ],
  ownerTag: ({ owner }) => [
    "owner-protected",
    `belongs to ${owner?.label}, which has the environment tag PROD and is not kept by this run`,
    // Only a refresh gives a mark to an object without one.
    ownerRemedy("pulumi up --refresh"),
  ],
  afterFailure: ({ failed }) => [
    "after-failure",
    `was not declared in this run, perhaps because the program ended when ${failed} failed`,
    "Correct what failed, then run `pulumi up` again: it deletes this one if the program no longer has it.",
  ],
  unshared: ({ unshared = "unread" }) => ["run-not-shared", ...UNSHARED[unshared]],
  tag: (facts) => [
    "tagged-prod",
    "has the environment tag PROD, which the state does not record",
    `${SWITCH_OFF} and run \`pulumi up --refresh\`, or remove the tag; then run this command again.${pendingRemedy(facts)}`,
  ],
  unread: ({ tag }) => [
    "tag-unreadable",
    `cannot be read: ${tag?.is === "unreadable" ? tag.why : ""}`,
    "Run the same command again once the server answers, with a longer time in `timeouts` if it ran out.",
  ],
};

function pendingRemedy({ isRegistered }: Pick<DeleteFacts, "isRegistered">): string {
  return isRegistered ? `\n${PENDING}` : "";
}

function ownerRemedy(up: string): string {
  return `To delete this one alone, leave the owner in the program and run \`pulumi up\` without \`--target\`; to delete both, set \`deletionProtection: false\` on the owner and run \`${up}\`, then run this command again. If the owner has left the state, as one that was replaced may have, run \`pulumi state delete\` with the URN of this one: it stays in the cloud.`;
}
