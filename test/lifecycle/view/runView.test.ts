// What the view of the run tells after calls of the handlers, and what follows from it for an entry of the state. Pure.

import { describe, expect, test } from "vitest";
import { readReplicaSet } from "../../../provider/kinds/readReplicaSet/lifecycle";
import { service } from "../../../provider/kinds/service/lifecycle";
import { adoptionOf } from "../../../provider/lifecycle/view/deleteFacts";
import { entryOf, markOfNew, ownerOf, withOwnerMark } from "../../../provider/lifecycle/view/entry";
import { ELSEWHERE } from "../../../provider/lifecycle/state/protection";
import type { Event } from "../../../provider/lifecycle/view/runLog";
import { type Entry, Memory, RunView } from "../../../provider/lifecycle/view/runView";
import { createRunBus } from "../../support/runBus";

const OBJECT = "service/svc1";
const [db, later] = ["db", "later"].map((name) => ({ key: `urn:pulumi:dev::shop::Any::${name}`, name })) as [
  Named,
  Named,
];
type Named = { key: string; name: string };

const entry = (values = {}): Entry => entryOf(service, "svc1", { name: "orders", projectId: "p1", ...values });

/** `check` says that the program has the resource. */
const check = (view: RunView, resource: Named, isNew: boolean, name?: unknown, adopts?: string): boolean =>
  view.checked(resource, { kind: "service", isNew, name, adopts, owner: undefined });

/** A view in which the program has these resources, each with the object or, without one, to be created. */
function viewOf(resources: readonly (readonly [Named, Entry?])[]): RunView {
  const view = new RunView();
  for (const [resource, kept] of resources) {
    check(view, resource, kept === undefined, kept?.name ?? resource.name);
    if (kept !== undefined) view.compared(resource, kept);
  }
  return view;
}

test("values of an old state, which name no resource, do not make one part of the program", () => {
  const view = new RunView();
  view.declares(undefined, { place: "p1", words: "orders", before: undefined, isAlone: true });
  view.replaced(undefined, OBJECT);
  view.lost(undefined);
  expect(view.compared(undefined, entry())).toBe("state");
  expect([view.isRegistered(undefined), view.hasLost(undefined)]).toEqual([false, false]);
  expect([view.keeperOf(OBJECT), view.wanterOf(OBJECT), view.predecessorsOf(undefined)]).toEqual([
    undefined,
    undefined,
    [],
  ]);
  check(view, later, true);
  expect([db, undefined].map((one) => view.declaredBeside(one, "p1", "orders"))).toEqual([[], []]);
});

test("a resource without a name is called one, whether it keeps an object or is to adopt it", () => {
  const view = new RunView();
  view.obtained(undefined, OBJECT);
  view.intendsToAdopt(undefined, ["service/svc2"]);
  expect([view.keeperOf(OBJECT), view.wanterOf("service/svc2")]).toEqual(["a resource", "a resource"]);
});

test("what no resource of the program keeps may be replaced by a new one of its kind", () => {
  const view = viewOf([[db, entry()], [later]]);
  const [kept, other] = [OBJECT, "service/svc2"];
  expect([view.mayBeReplaced(kept, "service"), view.mayBeReplaced(other, "service")]).toEqual([false, true]);
  expect(view.mayBeReplaced(other, "vpc")).toBe(false);
  expect(viewOf([[db, entry()]]).mayBeReplaced(other, "service")).toBe(false);
});

test("what `diff` replaced may be replaced, even where another resource keeps it", () => {
  const view = viewOf([
    [db, entry()],
    [later, entry()],
  ]);
  expect(view.mayBeReplaced(OBJECT, "service")).toBe(false);
  view.replaced(db, OBJECT);
  expect([view.keeperOf(OBJECT), view.mayBeReplaced(OBJECT, "service")]).toEqual(["later", true]);
});

test("an object of this kind and name is to be created, until it is", () => {
  const view = viewOf([[db], [later, entry()]]);
  const told = (): boolean[] => [
    view.isToBeCreated("service", "db"),
    view.isToBeCreated("service", "orders"),
    view.isToBeCreated("vpc", "db"),
  ];
  expect(told()).toEqual([true, false, false]);
  view.obtained(db, "service/svc2");
  expect(told()).toEqual([false, false, false]);
});

test("an object is given up if every resource that keeps it changes it to something else", () => {
  const view = viewOf([
    [db, entry()],
    [later, entry()],
  ]);
  const declares = (resource: Named, words: string): void =>
    view.declares(resource, { place: "p1", words, before: "orders", isAlone: false });
  expect(view.isGivenUp(OBJECT, "orders")).toBe(false);
  declares(db, "billing");
  expect(view.isGivenUp(OBJECT, "orders")).toBe(false);
  declares(later, "billing");
  expect([view.isGivenUp(OBJECT, "orders"), view.isGivenUp(OBJECT, "billing")]).toEqual([true, false]);
  declares(later, "orders");
  expect(view.isGivenUp(OBJECT, "orders")).toBe(false);
  view.obtained(undefined, "service/svc2");
  expect(view.isGivenUp("service/svc2", "orders")).toBe(false);
});

describe("what one process has written, every other one of its run reads,", () => {
  /** The views of two processes. */
  const both = (): [RunView, RunView] => {
    const bus = createRunBus();
    return [new RunView(bus.join()), new RunView(bus.join())];
  };

  test.each(["service", "vpc", "peering", "readReplicaSet"])("whatever the kind: %s", (kind) => {
    const [one, other] = both();
    const object = `${kind}/1 p1`;
    one.checked(db, { kind, isNew: true, name: "db", adopts: object, owner: undefined });
    expect([other.wanterOf(object), other.keeperOf(object), other.isRegistered(db)]).toEqual(["db", undefined, true]);
    one.obtained(db, object);
    expect([other.wanterOf(object), other.keeperOf(object)]).toEqual([undefined, "db (under another provider)"]);
    // The same id in another project, as at another deployment, is another object; without a project it is this one.
    expect([`${kind}/1 p2`, `${kind}/1`].map((id) => other.keeperOf(id))).toEqual([
      undefined,
      "db (under another provider)",
    ]);
  });

  test("protection, replacements, deletes and what is declared", () => {
    const [one, other] = both();
    check(one, db, false, "orders");
    one.declares(db, { place: "p1", words: "orders", before: "bills", isAlone: true });
    one.compared(db, entry({ deletionProtection: true }));
    expect(other.protectionOf(OBJECT)).toBe("protected");
    expect(other.declaredBeside(later, "p1", "orders")).toEqual([{ name: "db", isAlone: true }]);
    expect(other.isGivenUp(OBJECT, "bills")).toBe(true);
    one.replaced(db, OBJECT);
    expect([other.isReplaced(OBJECT), other.isHeld(OBJECT), other.keeperOf(OBJECT)]).toEqual([true, true, undefined]);
    one.intendsToDestroy(db, OBJECT);
    expect([other.isGoing(OBJECT), other.isRemoved(OBJECT)]).toEqual([true, false]);
    one.removed(db, OBJECT);
    expect([other.isGoing(OBJECT), other.isRemoved(OBJECT)]).toEqual([false, true]);
  });

  test("without any value: what only the create showed stays in its process", () => {
    const told: Event[] = [];
    const digest = (words: string): string => words.replaceAll(/./g, "x");
    const view = new RunView({ append: (event) => told.push(event) > 0, next: () => [], digest });
    check(view, db, true, "orders");
    view.declares(db, { place: "p1", words: "orders 10.0.0.0/24", before: undefined, isAlone: true });
    view.saved(db, entry({ initialPassword: "one-of-ours", password: "one-of-theirs", addons: ["a"] }));
    expect(JSON.stringify(told)).not.toMatch(/one-of|10\.0|addons/);
    expect(view.shownOnceOf(OBJECT)).toEqual({ initialPassword: "one-of-ours" });
  });
});

test("an object that its check hid counts as kept where no rule places it; one that no check came before does not", () => {
  const view = new RunView();
  view.compared(undefined, entry());
  expect(view.keeperOf(OBJECT)).toBeUndefined();
  check(view, later, true);
  view.compared(undefined, entry());
  expect(view.keeperOf(OBJECT)).toBeUndefined();
  view.compared(undefined, entry(), { isChecked: true });
  expect(view.keeperOf(OBJECT)).toBe("a resource");
});

test("a resource that is checked again keeps its object, unless it has no entry any more", () => {
  const view = viewOf([[db, entry()]]);
  check(view, db, false, "orders");
  expect(view.keeperOf(OBJECT)).toBe("db");
  check(view, db, true, "orders");
  expect([view.keeperOf(OBJECT), view.isHeld(OBJECT)]).toEqual([undefined, true]);
});

test("an object is removed once a delete has confirmed it", () => {
  const view = new RunView();
  view.removed(db, OBJECT);
  expect([view.isRemoved(OBJECT), view.isRemoved("service/svc2")]).toEqual([true, false]);
});

test("what one entry knows of an object counts until a run writes the entry anew", () => {
  const view = new RunView();
  view.read(db, entry({ deletionProtection: true, initialPassword: "secret" }));
  view.read(db, entry());
  expect(view.protectionOf(OBJECT)).toBe("protected");
  expect(view.shownOnceOf(OBJECT)).toEqual({ initialPassword: "secret" });
  view.saved(db, entry());
  expect(view.protectionOf(OBJECT)).toBe("untagged");
});

test("an entry has the ids of its path, and what only the answer of the create had", () => {
  expect(entry({ initialPassword: "secret" })).toMatchObject({
    located: { projectId: "p1" },
    shownOnce: { initialPassword: "secret" },
  });
  const set = entryOf(readReplicaSet, "set1", { serviceId: "svc1", projectId: "p1" });
  expect(set).toMatchObject({ located: { projectId: "p1", serviceId: "svc1" }, shownOnce: {} });
  expect(set.owner).toMatchObject({ object: OBJECT, label: "service svc1" });
  expect([ownerOf(readReplicaSet, {}), ownerOf(service, { serviceId: "svc1" })]).toEqual([undefined, undefined]);
});

test("a new part is marked by its owner: what this run knows of it, or that it is elsewhere", () => {
  const values = { serviceId: "svc1" };
  expect(markOfNew(readReplicaSet, new RunView(), values)).toBe(ELSEWHERE);
  expect(markOfNew(readReplicaSet, viewOf([[db, entry({ deletionProtection: true })]]), values)).toBe("protected");
  expect(markOfNew(service, new RunView(), values)).toBeUndefined();
});

test.each([
  [true, {}, "protected"],
  [false, {}, "untagged"],
  [false, { __version: 1 }, undefined],
])("a read that shows the owner's tag as %s gives an entry with %o the mark %s", (isParentProduction, olds, mark) => {
  const marked = (view: RunView): unknown =>
    withOwnerMark(readReplicaSet, view, { serviceId: "svc1" }, olds, { isParentProduction })["__owner"];
  expect(marked(new RunView())).toBe(mark);
  // What the run knows of the owner counts before that.
  expect(marked(viewOf([[db, entry({ deletionProtection: true })]]))).toBe("protected");
});

test("an object that is no part of another gets no mark", () => {
  expect(withOwnerMark(service, new RunView(), { name: "orders" }, {}, {})).toEqual({ name: "orders" });
});

test.each<[string, readonly string[], Entry, unknown, string | undefined]>([
  ["nothing, where nothing is named", [], entry(), undefined, undefined],
  ["nothing, where what is named is not known yet", [], entry(), {}, undefined],
  ["what `adoptId` names, which it named before without effect", [], entry({ adoptId: "svc2" }), "svc2", "svc2"],
  ["what DBCLOUD_ADOPT names", ["svc1"], entry(), undefined, "svc1"],
  ["what DBCLOUD_ADOPT names before `adoptId`", ["svc1"], entry(), "svc2", "svc1"],
  ["what `adoptId` names, although this stack made it", [], entry(), "svc1", "svc1"],
  ["nothing that `adoptId` brought in before", [], entry({ adoptId: "svc1" }), "svc1", undefined],
  ["another object than `adoptId` brought in before", [], entry({ adoptId: "svc1" }), "svc2", "svc2"],
])("a successor adopts %s", (_, adopt, predecessor, adoptId, adopted) => {
  const memory = new Memory();
  memory.view.compared(db, predecessor);
  expect(adoptionOf({ memory, identity: db, adopt }, { adoptId })).toBe(adopted);
});
