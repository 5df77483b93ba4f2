// Every combination of the facts that decide a delete.

import { expect, test } from "vitest";
import {
  decideDelete,
  type Decision,
  type DeleteFacts,
  type LiveTag,
  OUTCOME,
  notShared,
  refusalOf,
} from "../../provider/core/decideDelete";

const PROTECTIONS = ["entry", "otherEntry", undefined] as const;
const OWNERS = ["protected", "byTag", "unprotected", undefined] as const;
const TAGS: readonly (LiveTag | undefined)[] = [
  { is: "production" },
  undefined,
  { is: "unreadable", why: "for 5 m: 500", isTimeUp: false },
  { is: "unreadable", why: "for 5 m: 500", isTimeUp: true },
];

const LABEL = "service orders (svc1)";

function* everything(): Generator<DeleteFacts> {
  for (const keeper of ["db", undefined])
    for (const by of ["later", "other", undefined])
      for (const protectedBy of PROTECTIONS)
        for (const owner of OWNERS)
          for (const tag of TAGS)
            for (const bits of Array.from({ length: 64 }, (_, index) => index)) {
              const [stopsOnDelete, isRegistered, tagProtects, mayGoUnread, hasFailed, isUnshared] = [
                1, 2, 4, 8, 16, 32,
              ].map((bit) => (bits & bit) !== 0) as [boolean, boolean, boolean, boolean, boolean, boolean];
              yield {
                label: LABEL,
                id: "svc1",
                keeper,
                claimant: by === undefined ? undefined : { by, label: by === "later" ? LABEL : "service db (svc0)" },
                protectedBy,
                owner: owner === undefined ? undefined : { label: "service db (svc0)", is: owner },
                stopsOnDelete,
                isRegistered,
                isReader: false,
                failed: hasFailed ? "web" : undefined,
                unshared: isUnshared ? (isRegistered ? "unwritten" : "unread") : undefined,
                tagProtects,
                mayGoUnread,
                tag,
              };
            }
}

const all = [...everything()];

test("the combinations are all there, and so is each decision", () => {
  expect(all).toHaveLength(2 * 3 * 3 * 4 * 4 * 64);
  const decisions = new Set(all.map(decideDelete).map((one) => ("because" in one ? one.because : one.is)));
  const refusals = [
    "afterFailure",
    "otherEntry",
    "owner",
    "ownerTag",
    "protected",
    "stopped",
    "tag",
    "unread",
    "unshared",
    "wanted",
  ];
  expect(decisions).toEqual(new Set(["delete", "keep", ...refusals]));
});

const goes = ({ is }: Decision): boolean => is === "delete";

test.each<[string, (facts: DeleteFacts, decision: Decision) => boolean]>([
  ["a delete of what an entry of the state protects", ({ protectedBy }, one) => !!protectedBy && goes(one)],
  ["one of what a resource keeps or is to adopt", ({ keeper, claimant }, one) => !!(keeper ?? claimant) && goes(one)],
  ["one of what the program may only not have reached", ({ failed }, one) => failed !== undefined && goes(one)],
  ["one of which another provider cannot tell", ({ unshared }, one) => unshared !== undefined && goes(one)],
  ["one of a part of a protected owner", ({ owner }, one) => owner?.is === "protected" && goes(one)],
  [
    "one of a part of a tagged owner",
    ({ owner, tag }, one) => owner?.is === "byTag" && tag?.is === "production" && goes(one),
  ],
  [
    "a refusal for the tag of an owner that has another one",
    ({ tag }, one) => one.is === "refuse" && one.because === "ownerTag" && tag?.is !== "production",
  ],
  ["one of what is tagged", ({ tagProtects, tag }, one) => tagProtects && tag?.is === "production" && goes(one)],
  [
    "one of what may be tagged so, unless the protection is off",
    ({ tagProtects, mayGoUnread, tag }, { is }) =>
      tagProtects && !mayGoUnread && tag?.is === "unreadable" && is === "delete",
  ],
  ["one of what an earlier version was to stop and leave", ({ stopsOnDelete }, one) => stopsOnDelete && goes(one)],
  [
    "an entry that leaves the state without its object, unless a resource keeps that and is named",
    ({ keeper }, one) => one.is === "keep" && one.by !== keeper,
  ],
  [
    "anything but a delete where nothing speaks against it",
    ({ keeper, claimant, protectedBy, owner, failed, unshared, stopsOnDelete, tag }, { is }) =>
      !(keeper ?? claimant ?? protectedBy ?? owner ?? failed ?? unshared) &&
      !stopsOnDelete &&
      tag === undefined &&
      is !== "delete",
  ],
  [
    "a refusal of what cannot be read, before the time is up, where no tag can protect it",
    ({ tagProtects, mayGoUnread, tag }, one) =>
      one.is === "refuse" &&
      one.because === "unread" &&
      tag?.is === "unreadable" &&
      !tag.isTimeUp &&
      (!tagProtects || mayGoUnread),
  ],
])("never decides %s", (_what, isWrong) => {
  expect(all.filter((facts) => isWrong(facts, decideDelete(facts)))).toEqual([]);
});

test("each refusal names the object, what it prevents, and a remedy", () => {
  const texts = new Set<string>();
  for (const facts of all) {
    const decision = decideDelete(facts);
    if (decision.is !== "refuse") continue;
    for (const outcome of ["delete", "replace"] as const) {
      const { errorName, message, hint = "" } = refusalOf(decision.because, facts, outcome);
      const text = [`${decision.because}: ${errorName}`, message, hint].join("\n");
      if (texts.has(text)) continue;
      texts.add(text);
      expect(message.startsWith(`${LABEL} `)).toBe(true);
      expect(message.endsWith(`; ${OUTCOME[outcome]}`)).toBe(true);
      expect(message + hint).not.toContain("undefined");
      expect(hint).toMatch(/`pulumi|[Rr]un /);
    }
  }
  expect([...texts].filter((text) => text.includes(OUTCOME.delete)).toSorted()).toMatchSnapshot();
});

const plain = all.find((facts) => decideDelete(facts).is === "delete");

test.each<[string, string, Partial<DeleteFacts>, RegExp]>([
  ["what the program protects by now", "protected", { protectedBy: "program" }, /by what the program says now/],
  [
    "what the program reads another one for",
    "read-in-its-place",
    { isReader: true },
    /now reads another object under its name/,
  ],
  [
    "what has parts in the state",
    "not-empty",
    { parts: ["set a (1)", "set b (2)"] },
    /in the state: set a \(1\), set b \(2\)/,
  ],
])("refuses %s, and says what to run", (_what, errorName, more, words) => {
  if (plain === undefined) throw new Error("nothing is deleted");
  const facts = { ...plain, ...more };
  const decision = decideDelete(facts);
  if (decision.is !== "refuse") throw new Error(`it is a ${decision.is}`);
  const { message, hint = "", ...error } = refusalOf(decision.because, facts, "delete");
  expect(error.errorName).toBe(errorName);
  expect(message).toMatch(words);
  expect(message.endsWith(`; ${OUTCOME.delete}`)).toBe(true);
  expect(hint).toMatch(/`pulumi|[Rr]un /);
  expect(decideDelete({ ...facts, keeper: "db" })).toEqual({ is: "keep", by: "db" });
  expect(decideDelete({ ...plain, parts: [] }).is).toBe("delete");
});

test("an adoption that cannot be told to the other providers of the run says why, and what to do", () => {
  const { errorName, message, hint } = notShared("service orders (svc1)", "unread", "nothing was changed");
  expect(errorName).toBe("run-not-shared");
  expect(message).toMatch(/^service orders \(svc1\) may be in use by another provider.*; nothing was changed$/);
  expect(hint).toContain("one version");
});
