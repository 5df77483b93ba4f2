// What the view of the run tells after calls of the handlers, and what follows from it for an entry of the state. Pure.

import { expect, test } from "vitest";
import { readReplicaSet } from "../../provider/kinds/readReplicaSet/definition";
import type { Reported } from "../../provider/core/reported";
import { service } from "../../provider/kinds/service/definition";
import { reportedThing } from "./sharedThings";
import { vpc } from "../../provider/kinds/vpc/definition";
import { adoptionOf } from "../../provider/core/deleteFacts";
import { changedMark, entryOf, markOfNew, movesOfPlace, ownerOf, withOwnerMark } from "../../provider/core/entry";
import { ELSEWHERE } from "../../provider/core/protection";
import { ALONE, type Event, idInObject, kindOf } from "../../provider/core/runLog";
import { type KnownEntry, Memory, RunView } from "../../provider/core/runView";
import type { Values } from "../../provider/domain/values/value";
import { createRunBus } from "../support/runBus";

const OBJECT = "service/svc1";
const [db, later] = ["db", "later"].map((name) => ({ key: `urn:pulumi:dev::shop::Any::${name}`, name })) as [
  Named,
  Named,
];
type Named = { key: string; name: string; stack?: string };

const entry = (values = {}): KnownEntry => entryOf(service, "svc1", { name: "orders", projectId: "p1", ...values });

/** `check` says that the program has the resource. */
const check = (view: RunView, resource: Named, isNew: boolean, name?: unknown, more: object = {}): void =>
  view.tell(resource, { is: "checked", isNew, name, ...UNCLAIMED, ...more });
const UNCLAIMED = { kind: "service", adopts: undefined, owner: undefined, isProtected: false };

/** `words`: what it is called by from now on; `before`: until now. */
const declare = (view: RunView, resource: Named | undefined, words: string, before?: string, place = "p1"): void =>
  view.declares(resource, { place, words, before, isAlone: true });

/** Members of what is known of the object. */
const told = (view: RunView, object: string, ...members: (keyof ReturnType<RunView["claimsOn"]>)[]): unknown[] =>
  members.map((member) => view.claimsOn(object)[member]);

/** A view in which the program has these resources, each with the object or, without one, to be created. */
function viewOf(resources: readonly (readonly [Named, KnownEntry?])[]): RunView {
  const view = new RunView();
  for (const [resource, kept] of resources) {
    check(view, resource, kept === undefined, kept?.name ?? resource.name);
    if (kept !== undefined) view.compared(resource, kept);
  }
  return view;
}

test("values of an old state, which name no resource, do not make one part of the program", () => {
  const view = new RunView();
  declare(view, undefined, "orders");
  view.tell(undefined, { is: "replaced", object: OBJECT, as: "as changed" });
  view.tell(undefined, { is: "attempted", outcome: "lost" });
  expect(view.compared(undefined, entry())).toBe("state");
  expect([view.resource(undefined).isRegistered, view.resource(undefined).hasLost]).toEqual([false, false]);
  expect(told(view, OBJECT, "keeper", "claimant")).toEqual([undefined, undefined]);
  expect(view.resource(undefined).predecessors).toEqual([]);
  check(view, later, true);
  expect([db, undefined].map((one) => view.declaredBeside(one, "p1", "orders"))).toEqual([[], []]);
});

test("what no resource of the program keeps may be replaced by a new one of its kind", () => {
  const view = viewOf([[db, entry()], [later]]);
  const [kept, other] = [OBJECT, "service/svc2"];
  expect([view.claimsOn(kept).mayBeReplaced(), view.claimsOn(other).mayBeReplaced()]).toEqual([false, true]);
  expect(view.claimsOn("vpc/2").mayBeReplaced()).toBe(false);
  const alone = viewOf([[db, entry()]]);
  expect(alone.claimsOn(other).mayBeReplaced()).toBe(false);
});

test("what `diff` replaced may be replaced, even where another resource keeps it", () => {
  const view = viewOf([
    [db, entry()],
    [later, entry()],
  ]);
  expect(view.claimsOn(OBJECT).mayBeReplaced()).toBe(false);
  view.tell(db, { is: "replaced", object: OBJECT, as: "as changed" });
  expect([view.claimsOn(OBJECT).keeper, view.claimsOn(OBJECT).mayBeReplaced()]).toEqual(["later", true]);
});

test("a resource is to come until its create has an object, and only if `check` said that it is new", () => {
  const view = viewOf([[db, entry()], [later]]);
  const toCome = (): boolean[] => [db, later, undefined].map((one) => view.resource(one).isToCome);
  expect(toCome()).toEqual([false, true, false]);
  view.obtained(later, "service/svc2");
  expect(toCome()).toEqual([false, false, false]);
});

test("an object is given up if every resource that keeps it changes it to something else", () => {
  const view = viewOf([
    [db, entry()],
    [later, entry()],
  ]);
  const isGivenUp = (words = "orders"): boolean => view.claimsOn(OBJECT).isGivenUp(words);
  expect(isGivenUp()).toBe(false);
  declare(view, db, "billing", "orders");
  expect(isGivenUp()).toBe(false);
  declare(view, later, "billing", "orders");
  expect([isGivenUp(), isGivenUp("billing")]).toEqual([true, false]);
  declare(view, later, "orders", "orders");
  expect(isGivenUp()).toBe(false);
  view.obtained(undefined, "service/svc2");
  expect(view.claimsOn("service/svc2").isGivenUp("orders")).toBe(false);
});

/** The views of two processes. */
const both = (): [RunView, RunView] => {
  const bus = createRunBus();
  return [new RunView(bus.join()), new RunView(bus.join())];
};

test.each(["service", "vpc", "peering", "readReplicaSet"])(
  "every other process of the run reads whatever the kind: %s",
  (kind) => {
    const [one, other] = both();
    const object = `${kind}/1 p1`;
    const theirs = "db (under another provider)";
    check(one, db, true, "db", { kind, adopts: object });
    expect([...told(other, object, "claimant", "keeper"), other.resource(db).isRegistered]).toEqual([
      "db",
      undefined,
      true,
    ]);
    one.obtained(db, object);
    expect(told(other, object, "claimant", "keeper")).toEqual([undefined, theirs]);
    // The same id in another project, as at another deployment, is another object; without a project it is this one.
    expect([`${kind}/1 p2`, `${kind}/1`].map((id) => other.claimsOn(id).keeper)).toEqual([undefined, theirs]);
  },
);

test("every other process of the run reads which resource has failed, until a later attempt succeeds", async () => {
  const [one, other] = both();
  const refused = (resource: typeof db | undefined): Promise<void> =>
    expect(one.change(resource, () => Promise.reject(new Error("refused")))).rejects.toThrow("refused");
  check(one, later, true);
  await expect(one.change(later, () => Promise.resolve("made"))).resolves.toBe("made");
  expect([one.failed(), other.failed()]).toEqual([undefined, undefined]);
  await one.change(db, () => refused(db));
  await one.change(later, () => Promise.resolve());
  expect([one.failed(), other.failed()]).toEqual(["db", "db"]);
  await one.change(db, () => Promise.resolve());
  expect([one.failed(), other.failed()]).toEqual([undefined, undefined]);
  // Of what no rule places, nobody knows what was repeated.
  await refused(undefined);
  await one.change(undefined, () => Promise.resolve());
  expect(other.failed()).toBe("a resource");
});

test("every other process of the run reads protection, replacements, deletes and what is declared", () => {
  const [one, other] = both();
  check(one, db, false, "orders");
  declare(one, db, "orders", "bills");
  one.compared(db, entry({ deletionProtection: true }));
  expect(other.claimsOn(OBJECT).protection).toBe("protected");
  expect(other.declaredBeside(later, "p1", "orders")).toEqual([{ name: "db", isAlone: true }]);
  expect(other.claimsOn(OBJECT).isGivenUp("bills")).toBe(true);
  one.tell(db, { is: "replaced", object: OBJECT, as: "as changed" });
  expect(told(other, OBJECT, "replaced", "isOfProgram", "keeper")).toEqual(["as changed", true, undefined]);
  one.tell(db, { is: "intends to destroy", entry: entry() });
  expect(told(other, OBJECT, "isGoing", "isRemoved")).toEqual([true, false]);
  one.tell(db, { is: "destroyed", object: OBJECT, isGone: true });
  expect(told(other, OBJECT, "isGoing", "isRemoved")).toEqual([false, true]);
  expect(other.claimsOn("service/svc2").isRemoved).toBe(false);
});

test("every other process of the run reads without any value: what only the create showed stays in its process", () => {
  const written: Event[] = [];
  const digest = (words: string): string => words.replaceAll(/./g, "x");
  const view = new RunView({ append: (event) => written.push(event) > 0, next: () => [], digest });
  check(view, db, true, "orders");
  declare(view, db, "orders 10.0.0.0/24");
  view.tell(db, {
    is: "seen",
    isWritten: true,
    entry: entry({ initialPassword: "one-of-ours", password: "one-of-theirs", addons: ["a"] }),
  });
  expect(JSON.stringify(written)).not.toMatch(/one-of|10\.0|addons/);
  expect(view.claimsOn(OBJECT).shownOnce).toEqual({ initialPassword: "one-of-ours" });
});

test("what a create declares as its check did is told once; after another check it is told again", () => {
  const written: string[] = [];
  const view = new RunView({ ...ALONE, append: ({ is }) => written.push(is) > 0 });
  check(view, db, true, "orders");
  for (const words of ["orders", "orders", "bills", "bills"]) declare(view, db, words);
  check(view, db, true, "bills");
  declare(view, db, "bills");
  expect(written).toEqual(["checked", "declared", "declared", "checked", "declared"]);
});

test("an object that its check hid counts as kept where no rule places it; one that no check came before does not", () => {
  const view = new RunView();
  view.compared(undefined, entry());
  expect(view.claimsOn(OBJECT).keeper).toBeUndefined();
  check(view, later, true);
  view.compared(undefined, entry());
  expect(view.claimsOn(OBJECT).keeper).toBeUndefined();
  view.compared(undefined, entry(), { isChecked: true });
  expect(view.claimsOn(OBJECT).keeper).toBe("a resource");
});

test("a resource that is checked again keeps its object, unless it has no entry any more", () => {
  const view = viewOf([[db, entry()]]);
  check(view, db, false, "orders");
  expect(view.claimsOn(OBJECT).keeper).toBe("db");
  check(view, db, true, "orders");
  expect([view.claimsOn(OBJECT).keeper, view.claimsOn(OBJECT).isOfProgram]).toEqual([undefined, true]);
});

test("an object is in use while the program has it, or only a part of it; what the run replaces is not", () => {
  const view = viewOf([[db, entry()]]);
  const inUse = (): boolean[] => [OBJECT, "service/svc2"].map((object) => view.claimsOn(object).isInUse);
  expect(inUse()).toEqual([true, false]);
  for (const owner of ["service/svc2", OBJECT]) check(view, later, false, "readers", { kind: "readReplicaSet", owner });
  expect(inUse()).toEqual([true, true]);
  view.tell(db, { is: "replaced", object: OBJECT, as: "as changed" });
  expect(view.claimsOn(OBJECT).isInUse).toBe(false);
});

test.each([true, false])("the owner that `diff` names is in use by a part, if the program has that: %s", (isThere) => {
  const view = new RunView();
  if (isThere) check(view, later, false, "readers");
  expect(view.compared(later, entry(), { owner: "service/svc2" })).toBe(isThere ? "program" : "state");
  expect(view.claimsOn("service/svc2").isInUse).toBe(isThere);
});

test("a resource that the program does not have compares for a cascade, once others were checked", () => {
  expect(viewOf([[db]]).compared(later, entry())).toBe("cascade");
});

test("the state names what a resource has, and nothing for one that gets an object", () => {
  const view = viewOf([[db, entry()], [later]]);
  expect([db, later, undefined].map((one) => view.resource(one).name)).toEqual(["orders", undefined, undefined]);
  expect(view.resource({ key: "none", name: "none" }).name).toBeUndefined();
});

test("a create is lost for its resource alone, and its object is known by its id", () => {
  const view = viewOf([[db], [later]]);
  view.tell(db, { is: "attempted", outcome: "lost" });
  expect([db, later].map((one) => view.resource(one).hasLost)).toEqual([true, false]);
  view.obtained(later, "service/svc2 p1");
  expect(["svc2", "svc2 p1", "service/svc2", ""].map((id) => view.hasMade(id))).toEqual([true, false, false, false]);
});

test("who refers to an object by `get` is named to all others", () => {
  const view = new RunView();
  view.tell(db, { is: "referred", object: OBJECT });
  expect([OBJECT, "service/svc2"].map((object) => view.claimsOn(object).reader)).toEqual(["db", undefined]);
  check(view, later, true);
  expect([db, later, undefined].map((one) => view.resource(one).isReader)).toEqual([true, false, false]);
});

test("the program protects an object as its `check` said, and what was not checked is not protected by it", () => {
  const view = viewOf([[db, entry()]]);
  view.obtained(later, "service/svc2");
  expect([db, later, undefined].map((one) => view.resource(one).isProtecting)).toEqual([false, false, false]);
  check(view, db, false, "orders", { isProtected: true });
  expect(view.resource(db).isProtecting).toBe(true);
});

test("the parts of an object are those of the state, without what this run replaces", () => {
  const view = new RunView();
  const set = (id: string, serviceId: string): KnownEntry => entryOf(readReplicaSet, id, { name: id, serviceId });
  const [its, others] = [set("set1", "svc1"), set("set2", "svc2")];
  view.compared(db, its);
  view.compared(later, others);
  view.compared({ key: "urn:pulumi:dev::shop::Any::whole", name: "whole" }, entry());
  expect(view.claimsOn(OBJECT).parts()).toEqual([its.label]);
  view.tell(db, { is: "replaced", object: its.object, as: "as changed" });
  expect(view.claimsOn(OBJECT).parts()).toEqual([]);
});

test("a note of a process can be read until it no longer holds", () => {
  const { notes } = new Memory();
  expect(notes.read("protected/svc1")).toBeUndefined();
  notes.write("protected/svc1", "on");
  expect(["protected/svc1", "protected/svc2"].map((key) => notes.read(key))).toEqual(["on", undefined]);
  notes.write("protected/svc1", undefined);
  expect(notes.read("protected/svc1")).toBeUndefined();
});

test("who claims an object is told others that do, and not itself", () => {
  const view = viewOf([[db]]);
  view.tell(db, { is: "intends to adopt", objects: [OBJECT] });
  const claimants = [undefined, db, later].map((of) => view.claimsOn(OBJECT, of?.key).claimant);
  expect(claimants).toEqual(["db", undefined, "db"]);
});

test("what a resource wants is its own again once it has another object, or wants another one", () => {
  const view = new RunView();
  const wanted = (): unknown[] => [OBJECT, "service/svc2"].map((object) => view.claimsOn(object).claimant);
  check(view, db, true, "orders", { adopts: OBJECT });
  view.tell(undefined, { is: "intends to adopt", objects: ["service/svc2"] });
  view.tell(undefined, { is: "intends to adopt", objects: [OBJECT] });
  expect(wanted()).toEqual(["db", "a resource"]);
  view.obtained(db, "service/svc3");
  expect(view.claimsOn(OBJECT).claimant).toBe("a resource");
  check(view, later, true, "orders", { adopts: "service/svc4" });
  view.tell(later, { is: "intends to adopt", objects: ["service/svc5"] });
  expect(["service/svc4", "service/svc5"].map((one) => view.claimsOn(one).claimant)).toEqual([undefined, "later"]);
});

test("a name that this run moves between objects of the state is told with both, and no other one", () => {
  const view = new RunView();
  const of = (id: string, name: string): KnownEntry => entryOf(service, id, { name, projectId: "p1" });
  check(view, db, false, "gamma");
  view.compared(db, of("svc1", "beta"), { renamed: "gamma" });
  check(view, later, false, "gamma");
  view.compared(later, of("svc2", "gamma"));
  const of2 = "service gamma (svc2)";
  const moved = [{ name: "gamma", from: of2, to: "service beta (svc1)", guarded: undefined }];
  const objects = ["service/svc1 p1", "service/svc2 p1", "service/svc3 p1", "vpc/1 p1"];
  expect(objects.map((one) => view.namesMoved(one))).toEqual([moved, moved, [], []]);
  const sees = (one: KnownEntry): void => view.tell(undefined, { is: "seen", isWritten: false, entry: one });
  // A third one of the name, later entries of the same objects, another kind, and a rename in the state alone.
  for (const one of [of("svc3", "beta"), of("svc2", "delta"), of("svc1", "gamma")]) sees(one);
  sees(entryOf(vpc, "2", { name: "beta", projectId: "p1" }));
  const net = entryOf(vpc, "1", { name: "gamma", projectId: "p1" });
  view.compared({ key: "other", name: "other" }, net, { renamed: "beta" });
  expect(view.namesMoved("service/svc1 p1")).toEqual(moved);
  expect(view.namesMoved("vpc/1 p1")).toEqual([]);
  sees({ ...of("svc2", "gamma"), protection: "protected" });
  expect(view.namesMoved("service/svc1 p1")).toMatchObject([{ guarded: of2 }]);
});

test("a name that an object gives up and a new one gets is told with both, of its kind alone, until that is made", () => {
  const bus = createRunBus();
  const [view, other] = [new RunView(bus.join()), new RunView(bus.join())];
  check(view, db, false, "gamma");
  view.compared(db, entryOf(service, "svc1", { name: "beta" }), { renamed: "gamma" });
  expect([view.namesMoved(OBJECT), view.namesMovedToNew("service", "other")]).toEqual([[], []]);
  check(view, later, true, "beta");
  const moved = [{ name: "beta", from: "service beta (svc1)", to: "a new one (EMPTY)", guarded: undefined }];
  expect([view.namesMoved(OBJECT), view.namesMovedToNew("service", "beta")]).toEqual([moved, moved]);
  expect([view.namesMovedToNew("service", "gamma"), view.namesMovedToNew("vpc", "beta")]).toEqual([[], []]);
  // Another provider of the run can have another project.
  expect(other.namesMoved(OBJECT)).toEqual([]);
  view.compared(db, entryOf(service, "svc1", { name: "beta" }));
  expect([view.namesMoved(OBJECT), view.namesMovedToNew("service", "beta")]).toEqual([[], []]);
  view.compared(db, entryOf(service, "svc1", { name: "beta" }), { renamed: "gamma" });
  view.obtained(later, "service/svc2");
  expect(view.namesMoved(OBJECT)).toEqual([]);
  expect([view.hasMade("svc2"), view.hasMade("svc1")]).toEqual([true, false]);
});

test("what is declared beside is declared at one place, by other resources, in the same words", () => {
  const view = viewOf([[db], [later]]);
  declare(view, later, "orders");
  const beside = (resource: Named, place: string, words: string): unknown[] =>
    view.declaredBeside(resource, place, words);
  expect(beside(db, "p1", "orders")).toEqual([{ name: "later", isAlone: true }]);
  for (const words of ["bills", "other"]) declare(view, db, words);
  expect(beside(later, "p1", "bills")).toEqual([]);
  expect([beside(later, "p1", "orders"), beside(db, "p2", "orders"), beside(db, "p1", "bills")]).toEqual([[], [], []]);
  // What is checked again has declared nothing yet.
  check(view, later, true);
  expect(beside(db, "p1", "orders")).toEqual([]);
});

test("the entries of the state are those that some process has compared, without what the run deletes", () => {
  const bus = createRunBus();
  const [one, other] = [new RunView(bus.join()), new RunView(bus.join())];
  const ids = (only = "svc1"): string[] => other.entries(({ id }) => id === only).map(({ id }) => id);
  check(one, db, false, "orders");
  one.compared(db, entry());
  expect([ids(), ids("svc2")]).toEqual([["svc1"], []]);
  one.tell(db, { is: "intends to destroy", entry: entry() });
  expect(ids()).toEqual([]);
  one.tell(db, { is: "destroyed", object: entry().object, isGone: false });
  expect(ids()).toEqual(["svc1"]);
  one.tell(db, { is: "intends to destroy", entry: entry() });
  one.tell(db, { is: "destroyed", object: entry().object, isGone: true });
  expect(ids()).toEqual([]);
});

test("a run of one process can always be told, and nobody has told it anything", () => {
  const view = new RunView();
  expect(view.unshared()).toBeUndefined();
  check(view, db, true);
  expect([view.unshared(), ALONE.next()]).toEqual([undefined, []]);
  expect(["service/svc1", "vpc/1 p1"].map(kindOf)).toEqual(["service", "vpc"]);
  expect(["service/svc1", "vpc/1 p1"].map(idInObject)).toEqual(["svc1", "1"]);
});

test("a run is shared again once all is written, and never again after what this version cannot read", () => {
  let isWritable = false;
  const events: unknown[] = [];
  const view = new RunView({ ...ALONE, append: () => isWritable, next: () => events.splice(0) });
  check(view, db, true);
  expect(view.unshared()).toBe("unwritten");
  isWritable = true;
  check(view, db, true);
  events.push({ by: db, is: "seen", entry: entry({ deletionProtection: true }), isWritten: false });
  expect([view.unshared(), view.claimsOn(OBJECT).protection]).toEqual([undefined, "protected"]);
  for (const odd of [undefined, null, 5, "read", {}, { by: db, is: "borrowed" }, { by: db, is: "read" }]) {
    const older = new RunView({ ...ALONE, next: () => [odd, { by: db, is: "attempted", outcome: "lost" }] });
    expect([older.unshared(), older.resource(db).hasLost]).toEqual(["unread", true]);
  }
});

test("an old mark changes to what this run knows of the owner, and stays where it knows nothing new", () => {
  const view = viewOf([[db, entry({ deletionProtection: true })]]);
  const changed = (mark: unknown, serviceId = "svc1"): unknown =>
    changedMark(readReplicaSet, view, { __owner: mark }, { serviceId });
  expect(changed("untagged")).toBe("protected");
  expect([changed("protected"), changed(undefined), changed("untagged", "svc2")]).toEqual(Array(3).fill(undefined));
});

test("who adopts an object is who says so, and not a create that its name has stopped", () => {
  const view = viewOf([[db, entry()]]);
  check(view, later, true);
  view.tell(later, { is: "intends to adopt", objects: [OBJECT] });
  expect(told(view, OBJECT, "claimant", "adopter")).toEqual(["later", undefined]);
  check(view, later, true, undefined, { adopts: OBJECT });
  expect(told(view, OBJECT, "claimant", "adopter")).toEqual(["later", "later"]);
});

test("a part moves with its owner, as the last comparison of that has shown", () => {
  const view = new RunView();
  const plan = { is: "planned", object: OBJECT, protection: "untagged" } as const;
  view.tell(undefined, { ...plan, moves: "may move" });
  const movesOf = (values: Values): unknown => movesOfPlace(readReplicaSet, view, values);
  const words = "its service may move: its addresses are read again";
  expect(movesOf({ serviceId: "svc1", __inputs: "serviceId" })).toEqual({ moves: "may move", words });
  expect(movesOf({ serviceId: "svc2", __inputs: "serviceId" })).toBeUndefined();
  expect(movesOf({ serviceId: "svc1", __inputs: "name" })).toBeUndefined();
});

test("a service moves with its VPC, and a VPC with nothing", () => {
  const view = new RunView();
  const plan = { is: "planned", object: "vpc/v1 p1", protection: "untagged" } as const;
  view.tell(undefined, { ...plan, moves: "may be replaced" });
  const state = { vpcId: "v1", projectId: "p1", __inputs: "vpcId" };
  expect(movesOfPlace(service, view, state)?.words).toMatch(/^its VPC may be replaced: then it moves to the new one/);
  expect(movesOfPlace(service, view, { ...state, projectId: "p2" })).toBeUndefined();
  expect(movesOfPlace(vpc, view, state)).toBeUndefined();
});

test("an object that is tagged as production and whose protection is off is unprotected", () => {
  expect(entry({ environment: "PROD", deletionProtection: false }).protection).toBe("unprotected");
  const named = { name: "orders", adoptId: undefined, protection: "unprotected" };
  expect(entry({ environment: "PROD" })).toMatchObject(named);
  expect(entry({ adoptId: "svc1" }).adoptId).toBe("svc1");
});

test("each question is answered with what the others have written until then", () => {
  const bus = createRunBus();
  const one = new RunView(bus.join());
  check(one, db, false, "orders");
  declare(one, db, "orders");
  one.compared(db, entry(), { renamed: "moved" });
  one.obtained(db, "service/svc3");
  one.tell(db, { is: "attempted", outcome: "lost" });
  const [own = ""] = [entry().name];
  const questions: ((view: RunView) => unknown)[] = [
    (view) => view.declaredBeside(later, "p1", "orders").length,
    (view) => view.resource(db).predecessors.length,
    (view) => Number(view.resource(db).hasLost),
    (view) => Number(view.hasMade("svc3")),
    (view) => Number(view.resource(db).isRegistered),
    (view) => view.namesMovedToNew("service", own).length,
  ];
  expect(questions.map((ask) => ask(new RunView(bus.join())))).toEqual([1, 1, 1, 1, 1, 1]);
  // What one writes comes after what the others wrote before.
  const other = new RunView(bus.join());
  one.tell(db, { is: "seen", entry: entry(), isWritten: true });
  other.tell(db, { is: "seen", entry: entry({ deletionProtection: true }), isWritten: false });
  expect(other.claimsOn(OBJECT).protection).toBe("protected");
});

test("an object has one keeper: who takes it is told who else has it, and who wants it anew has it no more", () => {
  const view = new RunView();
  expect([view.obtained(db, OBJECT), view.obtained(later, OBJECT)]).toEqual([undefined, "db"]);
  view.tell(db, { is: "intends to adopt", objects: [OBJECT] });
  expect([view.claimsOn(OBJECT).keeper, view.claimsOn("service/svc9").isGivenUp("orders")]).toEqual(["later", false]);
  view.tell(db, { is: "replaced", object: "service/svc2", as: "as changed" });
  expect(view.claimsOn("service/svc2").isOfProgram).toBe(false);
  expect(new RunView().compared(db, entry(), { isChecked: true })).toBe("state");
  view.compared({ key: "named", name: "named" }, entryOf(service, "svc4", {}), { isChecked: true });
  expect(view.claimsOn("service/svc4").keeper).toBeUndefined();
});

test("an object whose project becomes known is none of another project", () => {
  const view = new RunView();
  view.obtained(db, OBJECT);
  view.obtained(later, `${OBJECT} p1`);
  expect([view.claimsOn(`${OBJECT} p1`).keeper, view.claimsOn(`${OBJECT} p2`).keeper]).toEqual(["db", undefined]);
});

test("what one entry knows of an object counts until a run writes the entry anew", () => {
  const view = new RunView();
  const sees = (isWritten: boolean, values = {}): void =>
    view.tell(db, { is: "seen", entry: entry(values), isWritten });
  sees(false, { deletionProtection: true, initialPassword: "secret" });
  sees(false);
  expect(told(view, OBJECT, "protection", "shownOnce")).toEqual(["protected", { initialPassword: "secret" }]);
  sees(true);
  expect(view.claimsOn(OBJECT).protection).toBe("untagged");
});

test("an entry has the ids of its path, and what only the answer of the create had", () => {
  expect(entry({ initialPassword: "secret" })).toMatchObject({
    located: { projectId: "p1" },
    shownOnce: { initialPassword: "secret" },
  });
  const set = entryOf(readReplicaSet, "set1", { serviceId: "svc1", projectId: "p1" });
  expect(set).toMatchObject({ located: { projectId: "p1", serviceId: "svc1" }, shownOnce: {} });
  expect(set.owner).toMatchObject({ object: OBJECT, label: "service svc1" });
  const made = { created: "2026", regionCode: "eu-1" };
  expect(entryOf(service, "svc1", made)).toMatchObject(made);
  expect([ownerOf(readReplicaSet, {}), ownerOf(service, { serviceId: "svc1" })]).toEqual([undefined, undefined]);
});

test("an entry may go unread where the program switches its protection off, but not with a tag that it gave", () => {
  const said = (isOn: boolean, values = {}) =>
    entry({ deletionProtection: isOn, __inputs: "deletionProtection", __version: 1, ...values });
  expect([said(false).mayGoUnread, said(true).mayGoUnread]).toEqual([true, false]);
  const unseen = { __unseenUntil: 1 };
  expect(said(false, unseen).tagProtects).toBe(false);
  expect(said(false, { ...unseen, environment: "DEV" }).tagProtects).toBe(true);
});

test("a new part is marked by its owner: what this run knows of it, or that it is elsewhere; what is no part is not", () => {
  const values = { serviceId: "svc1" };
  expect(markOfNew(readReplicaSet, new RunView(), values)).toBe(ELSEWHERE);
  const seen = new RunView();
  seen.tell(undefined, { is: "seen", entry: entry({ deletionProtection: true }), isWritten: false });
  expect(markOfNew(readReplicaSet, seen, values)).toBe("protected");
  expect(markOfNew(service, new RunView(), values)).toBeUndefined();
  // Nothing is known of one that this run only made.
  const view = new RunView();
  view.obtained(db, OBJECT);
  expect(markOfNew(readReplicaSet, view, values)).toBeUndefined();
  view.tell(undefined, { is: "seen", entry: entry({ deletionProtection: true }), isWritten: false });
  expect(markOfNew(readReplicaSet, view, values)).toBe("protected");
  expect(withOwnerMark(service, new RunView(), { name: "orders" }, {}, tagged(true))).toEqual({ name: "orders" });
});

const tagged = (isProduction: boolean): Reported => ({ ...reportedThing({ id: "rr1", value: 1 }), isProduction });

test.each([
  [true, {}, "protected"],
  [false, {}, "untagged"],
  [false, { __version: 1 }, undefined],
])("a read that shows the owner's tag as %s gives an entry with %o the mark %s", (isProduction, olds, mark) => {
  const marked = (view: RunView): unknown =>
    withOwnerMark(readReplicaSet, view, { serviceId: "svc1" }, olds, tagged(isProduction))["__owner"];
  expect(marked(new RunView())).toBe(mark);
  // What the run knows of the owner counts before that.
  expect(marked(viewOf([[db, entry({ deletionProtection: true })]]))).toBe("protected");
});

test.each<[string, readonly string[], KnownEntry, unknown, string | undefined]>([
  ["nothing, where nothing is named", [], entry(), undefined, undefined],
  ["nothing, where what is named is not known yet", [], entry(), {}, undefined],
  ["what `adoptId` names, which it named before without effect", [], entry({ adoptId: "svc2" }), "svc2", "svc2"],
  ["what DBCLOUD_ADOPT names", ["db=svc1"], entry(), undefined, "svc1"],
  ["what DBCLOUD_ADOPT names before `adoptId`", ["db=svc1"], entry(), "svc2", "svc1"],
  ["what DBCLOUD_ADOPT names, and `adoptId` brought in", ["db=svc1"], entry({ adoptId: "svc1" }), "svc1", "svc1"],
  ["nothing that DBCLOUD_ADOPT names for another resource", ["d=svc1", "dbs=svc1"], entry(), undefined, undefined],
  ["what `adoptId` names, although this stack made it", [], entry(), "svc1", "svc1"],
  ["nothing that `adoptId` brought in before", [], entry({ adoptId: "svc1" }), "svc1", undefined],
  ["another object than `adoptId` brought in before", [], entry({ adoptId: "svc1" }), "svc2", "svc2"],
])("a successor adopts %s", (_, adopt, predecessor, adoptId, adopted) => {
  const memory = new Memory();
  memory.view.compared(db, predecessor);
  expect(adoptionOf({ memory, identity: db, adopt }, { adoptId })).toBe(adopted);
});

test("the stacks of a run are those of its resources, and those that a call names", () => {
  const view = new RunView();
  check(view, { ...db, stack: "shop/dev" }, true);
  check(view, later, true);
  expect(view.stacks([])).toEqual(["shop/dev"]);
  expect(view.stacks(["shop/dev", "shop/prod"])).toEqual(["shop/dev", "shop/prod"]);
  expect(view.stacks([])).toEqual(["shop/dev", "shop/prod"]);
});
