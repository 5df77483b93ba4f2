// Diff: predicts what an update would do, with the same planner, without I/O and without a key.

import { InputError, RefusedError } from "../domain/errors";
import { containsUnknown, isEqual, pick, textOf, type Values } from "../domain/values/value";
import { describeConflict } from "../plan/step";
import type { Context } from "./operation";
import type { Resource } from "./kind";
import { conflictWith, isAsWanted, isSameValue, recorded } from "./compare";
import { effectiveProtection, isProtectable, isProtected } from "./protection";
import { inputKeys, isRecorded, keysWhere, managedKeys, objectOf, owedOf, projectOf, visible } from "./state";
import { decideOrRefuse } from "./decideDelete";
import { factsOf, isOwnerWanted } from "./deleteFacts";
import { changedMark, entryOf, movesOfPlace, ownerOf, protectionIn } from "./entry";
import type { Comparison, Identity, KnownEntry, RunView } from "./runView";
import { announce, announceState, type Announcing, type Compared, replacementNotice, tellMoves } from "./announce";

export interface DiffContext extends Announcing, Pick<Context, "identity" | "adopt"> {
  /** The state names another provider entry than the program, so the new one must be saved. */
  isOtherEntry?: boolean;
  /** The state has the object under another identity, as after a rename. */
  isOtherIdentity?: boolean;
  /** `check` was not told whose the inputs are; the state says it. */
  isUnnamed?: boolean;
}

export function diff(resource: Resource, context: DiffContext, id: string, olds: Values, raw: Values): DiffAnswer {
  const { memory, identity } = context;
  const news = visible(raw);
  const entry = entryOf(resource, id, olds);
  const owner = ownerOf(resource, { ...olds, ...news });
  if (context.isUnnamed === true && identity !== undefined)
    memory.view.tell(identity, {
      is: "checked",
      kind: resource.kind,
      isNew: false,
      name: news["name"],
      adopts: undefined,
      owner,
      isProtected: effectiveProtection(resource, news, news),
    });
  const name = textOf(news, "name");
  // What an interrupted create has not told has its name already.
  const isKept = entry.name === undefined || name === entry.name || containsUnknown(name);
  const renamed = isKept ? undefined : name;
  const by = memory.view.compared(identity, entry, { owner, renamed, isChecked: context.isUnnamed });
  // An imported resource that was never read: there is nothing to compare with.
  if (!isRecorded(olds)) {
    context.warn(`${resource.noun} ${id} was imported and has not been read yet: run \`pulumi refresh\` to compare it`);
    return {};
  }
  const known = Object.fromEntries(Object.entries(news).filter(([, value]) => !containsUnknown(value)));
  const compared: Compared = { id, label: entry.label, olds, news, known };
  if (by === "cascade") refuseToOutliveContainer(resource, memory.view, compared);
  const replaced = replacementOf(resource, context, entry, compared, by);
  if (replaced !== undefined) {
    // The delete that ends the replacement must not be refused. The resource itself no longer keeps the object then.
    if (by !== "state") decideOrRefuse({ ...factsOf(entry, context), keeper: undefined }, "replace");
    const { answer, line, as } = replaced;
    if (line !== undefined) context.warn(line);
    memory.view.tell(identity, { is: "replaced", object: entry.object, as });
    return answer;
  }
  if (by === "program") refuseTwoOwners(memory.view, entry, identity);
  const isDue = by === "program" && announceUpdate(resource, context, compared);
  return changesOf(resource, context, compared, by, isDue || context.isOtherEntry === true);
}

/** The program adopts the object for another resource as well. Pulumi: `up` may create that one before this one is checked. */
function refuseTwoOwners(view: RunView, { object, label }: KnownEntry, identity: Identity | undefined): void {
  const { adopter: rival } = view.claimsOn(object, identity?.key);
  if (rival === undefined) return;
  throw new InputError(
    "declared-twice",
    "adoptId",
    `${label} is declared twice, also by ${rival}, which adopts it; nothing was sent for this one`,
    "An object can belong to only one resource: remove one of the two.",
  );
}

/** Announces what an update of the program's resource brings. Returns whether it must save what no input shows. */
function announceUpdate(resource: Resource, context: DiffContext, compared: Compared): boolean {
  const { view } = context.memory;
  const { olds, news, known } = compared;
  // The protection that an update would store, if an update follows.
  const isUpdated = changedInputs(resource, olds, news).length > 0 || owedOf(olds).length > 0;
  const protection = isUpdated ? effectiveProtection(resource, known, { ...olds, ...known }) : isProtected(olds);
  const state = { ...olds, ...known };
  const object = objectOf(resource, compared.id, projectOf(olds));
  const mark = changedMark(resource, view, olds, news);
  // Pulumi: dependents are compared after what they depend on.
  const moves = announce(resource, context, compared);
  view.tell(undefined, { is: "planned", object, protection: protectionIn(state, protection), moves });
  if (isProtectable(resource)) {
    tellMoves(view.namesMoved(object), context.warn, (error) => {
      throw error;
    });
  }
  announceState(resource, context, compared, { protection, mark });
  return movesOfPlace(resource, view, olds) !== undefined || mark !== undefined;
}

interface Replacement {
  answer: DiffAnswer;
  line: string | undefined;
  as: "as failed" | "as changed";
}

/** How an object is replaced; undefined if it is not. */
function replacementOf(
  resource: Resource,
  context: DiffContext,
  entry: KnownEntry,
  compared: Compared,
  by: Comparison,
): Replacement | undefined {
  const { memory } = context;
  const { label, olds, known } = compared;
  const conflicting = by === "program" ? conflictingInputs(resource, memory.view, compared) : [];
  const isOwnerKept = by === "program" && isOwnerWanted(entry, context);
  const replaces = [...replacedInputs(resource, compared, isOwnerKept), ...conflicting];
  const parent = resource.parent?.key ?? "";
  // The preview took the unknown parent for the one that this run adopts, and showed no replacement.
  const isMoved = by === "program" && replaces.includes(parent) && known[parent] !== undefined;
  if (isMoved && [olds, known].every((values) => memory.view.hasMade(String(values[parent])))) {
    throw unannounced(label, parent);
  }
  const { failure: failed } = resource.statusNote(olds, managedKeys(olds));
  if (replaces.length === 0 && failed === undefined) return undefined;
  const notice = by === "program" ? replacementNotice(resource, label) : undefined;
  // A refresh replaces nothing, but it also reports that the object has failed.
  const line = failed === undefined ? notice : `${label} ${failed}; it is replaced, the old one first`;
  return {
    answer: {
      // Pulumi: in the inputs of an operation that ended early the engine finds no change, and would only update.
      ...(failed === undefined ? {} : { changes: true, deleteBeforeReplace: true }),
      replaces: replaces.length > 0 ? replaces : ["status"],
    },
    line,
    as: replaces.length > 0 ? "as changed" : "as failed",
  };
}

/** The container is deleted first, and its delete waits for what is in it, which leaves only after that. */
function refuseToOutliveContainer({ container }: Resource, view: RunView, { label, olds, news }: Compared): void {
  const id = container === undefined ? undefined : olds[container.key];
  if (container === undefined || typeof id !== "string" || !containsUnknown(news[container.key])) return;
  if (!view.claimsOn(objectOf(container, id, projectOf(olds))).mayBeReplaced()) return;
  throw new RefusedError(
    "deleted-before-move",
    `${label} is in ${container.noun} ${id}, which would be deleted before its replacement is created (\`deleteBeforeReplace\`). That delete cannot succeed, so nothing is changed`,
    `Remove \`deleteBeforeReplace\` from the ${container.noun}: then the new one is created first, and what is in the old one moves over.`,
  );
}

/** An unknown parent means a replacement, because its id is unknown only when the parent is replaced, or adopted. */
function replacedInputs(resource: Resource, { olds, news, known }: Compared, isParentKept: boolean): string[] {
  return keysWhere(resource, (field, key) => {
    if (field.change !== "replaces") return false;
    if (key in known) return !isAsWanted(field, known[key], olds[key]);
    return key === resource.parent?.key && news[key] !== undefined && !isParentKept;
  });
}

/**
 * Differences that no call can remove. They are an error, or a replacement where the program allows one. A refresh compares
 * with the inputs of the state: there they are drift, and are only shown.
 */
function conflictingInputs(resource: Resource, view: RunView, compared: Compared): string[] {
  const { label, olds, known } = compared;
  refuseUnknown(resource, view, compared);
  const keys = keysWhere(resource, (field, key) => {
    const isCompared = field.change === "fixed" || field.change === "inPlace";
    return isCompared && known[key] !== undefined && !isAsWanted(field, known[key], olds[key]);
  });
  // The state records an input exactly as asked; without an input it has only the part that the server shows.
  const asked = keys.filter((key) => isAskedFor(resource, olds, key));
  const shown = keys.filter((key) => !asked.includes(key));
  const conflicts = [
    ...asked.map((key) => conflictWith(resource, key, olds[key], known[key])),
    ...resource.plan(pick(known, shown), recorded(resource, olds)).conflicts,
  ];
  const [first] = conflicts;
  if (first === undefined) return [];
  const properties = conflicts.map(({ property }) => property);
  // A fixed input has the program's value in the state. Any other has the live one, which may have drifted, and drift never
  // replaces an object.
  const isAllowed =
    known["allowReplace"] === true && properties.some((key) => resource.fields[key]?.change === "fixed");
  const isNew = properties.some((key) => idsIn(known[key]).some((one) => view.hasMade(one)));
  // The preview did not know the value, and so did not show the replacement.
  if (isAllowed && isNew) throw unannounced(label, first.property);
  if (isAllowed) return properties;
  throw new InputError("cannot-change", first.property, `${label}: ${conflicts.map(describeConflict).join("\n")}`);
}

/**
 * An input that cannot change, and whose object this run replaces, cannot follow it: that is certain. Where a replacement is
 * allowed, `up` would do what the preview cannot show.
 */
function refuseUnknown(resource: Resource, view: RunView, { label, olds, news }: Compared): void {
  const unknown = keysWhere(resource, ({ change }, one) => change === "fixed" && containsUnknown(news[one]));
  const [first] = unknown;
  if (first !== undefined && news["allowReplace"] === true) {
    throw new InputError(
      "replacement-not-previewed",
      first,
      `${label}: ${first} is not known yet, and \`allowReplace\` is set: no preview can show whether the ${resource.noun} is replaced and loses its data`,
      "Leave out `allowReplace` in this run; or first run `pulumi up --target` for the resource that the value comes from.",
    );
  }
  const [key] = unknown.filter((one) =>
    idsIn(olds[one]).some((id) => view.claimsOn(objectOf(resource, id)).mayBeReplaced()),
  );
  if (key === undefined) return;
  throw new InputError(
    "source-replaced",
    key,
    `${label}: ${key} cannot change, and this run replaces the object that it names`,
    `Remove \`${key}\` from this resource, which changes nothing, or replace the other object in a separate run.`,
  );
}

function unannounced(label: string, key: string): InputError {
  return new InputError(
    "replacement-not-previewed",
    key,
    `${label}: ${key} names an object that this run created, so the preview could not show that this one is replaced; it was not changed`,
    "Run `pulumi up` again: its preview shows the replacement.",
  );
}

/** The texts in a value, among which its ids are. */
function idsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(idsIn) : [];
}

function isAskedFor({ fields }: Resource, olds: Values, key: string): boolean {
  const field = fields[key];
  return field?.change === "fixed" && field.keptAsAsked === true && olds[key] !== undefined;
}

// Decides the `changes` of a diff.
// Pulumi: with `undefined` the engine compares the inputs and names each property. `true` is only for changes that the given
// inputs do not show, `false` only for differences in nothing but identity or spelling.

interface DiffAnswer {
  changes?: boolean;
  replaces?: string[];
  deleteBeforeReplace?: boolean;
}

/** `isDue`: something that is not an input must be saved. */
function changesOf(
  resource: Resource,
  context: DiffContext,
  { olds, news }: Compared,
  by: Comparison,
  isDue: boolean,
): DiffAnswer {
  const { fields } = resource;
  const [before, now] = [managedKeys(olds), inputKeys(news)];
  // What the program manages is what it said last, also where it drops what the object has lost already.
  const isDropping = by === "program" && before.some((key) => !now.includes(key));
  const isSameKeys = before.length === now.length && now.every((key) => before.includes(key));
  if (isDue || isDropping || owedOf(olds).length > 0) return unseenChange(resource, olds, news);
  const isSame = isSameKeys && now.every((key) => isAsWanted(fields[key], news[key], olds[key]));
  if (isSame && context.isOtherIdentity === true) return { changes: false };
  // Two spellings of one value are no difference, but the engine would report one.
  const isRespelled = isSame && now.some((key) => !isEqual(news[key], olds[key]));
  if (isRespelled && now.every((key) => isSameValue(fields[key], news[key], olds[key]))) return { changes: false };
  return {};
}

/**
 * A change for a reason other than the inputs. If the inputs differ as well, the engine compares them and names each.
 * After an operation that ended early the engine updates in any case.
 */
function unseenChange(resource: Resource, olds: Values, news: Values): DiffAnswer {
  return changedInputs(resource, olds, news).length > 0 ? {} : { changes: true };
}

/** The inputs that an update changes, or whose end it saves. What is given now with the recorded value is none of them. */
export function changedInputs(resource: Resource, olds: Values, news: Values): string[] {
  const fields = resource.fields;
  const keys = new Set([...managedKeys(olds), ...inputKeys(news)]);
  return [...keys].filter((key) => {
    if ((news[key] === undefined) !== (olds[key] === undefined)) return true;
    return news[key] !== undefined && !isAsWanted(fields[key], news[key], olds[key]);
  });
}
