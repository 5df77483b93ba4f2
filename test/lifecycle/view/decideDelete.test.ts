// Every combination of the facts that decide a delete.

import { describe, expect, test } from "vitest";
import {
  decideDelete,
  type Decision,
  type DeleteFacts,
  type LiveTag,
  OUTCOME,
  refusalOf,
} from "../../../provider/lifecycle/view/decideDelete";

const PROTECTIONS = ["entry", "otherEntry", undefined] as const;
const OWNERS = ["protected", "byTag", "unprotected", undefined] as const;
const TAGS: readonly LiveTag[] = [
  { is: "production" },
  { is: "other" },
  { is: "unread" },
  { is: "unreadable", why: "for 5 m: 500", isTimeUp: false },
  { is: "unreadable", why: "for 5 m: 500", isTimeUp: true },
];

function* everything(): Generator<DeleteFacts> {
  for (const keeper of ["db", undefined])
    for (const by of ["later", "DBCLOUD_ADOPT", undefined])
      for (const protectedBy of PROTECTIONS)
        for (const owner of OWNERS)
          for (const tag of TAGS)
            for (const bits of Array.from({ length: 32 }, (_, index) => index)) {
              const [isLeft, isRegistered, isReplacedFirst, isRefusedByTag, isProtectionOff] = [1, 2, 4, 8, 16].map(
                (bit) => (bits & bit) !== 0,
              ) as [boolean, boolean, boolean, boolean, boolean];
              yield {
                label: "service orders (svc1)",
                keeper,
                wanter: by === undefined ? undefined : { by, label: "service db (svc0)" },
                protectedBy,
                owner: owner === undefined ? undefined : { label: "service db (svc0)", is: owner },
                isLeft,
                isRegistered,
                isReplacedFirst,
                isRefusedByTag,
                isProtectionOff,
                tag,
              };
            }
}

const all = [...everything()];

/** All facts for which the decision is wrong by this rule. */
function breaches(rule: (facts: DeleteFacts, decision: Decision) => boolean): DeleteFacts[] {
  return all.filter((facts) => !rule(facts, decideDelete(facts)));
}

test("the combinations are all there", () => {
  expect(all).toHaveLength(2 * 3 * 3 * 4 * 5 * 32);
  const decisions = new Set(
    all.map((facts) => decideDelete(facts)).map((one) => ("because" in one ? one.because : one.is)),
  );
  expect([...decisions].toSorted()).toEqual([
    "delete",
    "keep",
    "leftInTheWay",
    "otherEntry",
    "owner",
    "ownerTag",
    "protected",
    "stop",
    "tag",
    "unread",
    "wanted",
  ]);
});

describe("a delete or a stop", () => {
  const goes = ({ is }: Decision): boolean => is === "delete" || is === "stop";

  test("never happens to what an entry of the state protects", () => {
    expect(breaches(({ protectedBy }, decision) => protectedBy === undefined || !goes(decision))).toEqual([]);
  });

  test("never happens to what a resource keeps or is to adopt", () => {
    expect(breaches(({ keeper, wanter }, decision) => (keeper ?? wanter) === undefined || !goes(decision))).toEqual([]);
  });

  test("never happens to a part of a protected owner", () => {
    expect(breaches(({ owner }, decision) => owner?.is !== "protected" || !goes(decision))).toEqual([]);
  });

  test("never happens before the successor of what keeps its name", () => {
    expect(
      breaches(({ isLeft, isReplacedFirst }, decision) => !(isLeft && isReplacedFirst) || !goes(decision)),
    ).toEqual([]);
  });
});

describe("a delete", () => {
  test("never happens to what is tagged as production, or may be, unless the state knows the tag or the protection is off", () => {
    expect(
      breaches(({ isRefusedByTag, isProtectionOff, tag }, { is }) => {
        const isTagged = isRefusedByTag && tag.is === "production";
        const isUnknown = isRefusedByTag && !isProtectionOff && tag.is === "unreadable";
        return is !== "delete" || !(isTagged || isUnknown);
      }),
    ).toEqual([]);
  });

  test("is what remains where nothing speaks against it", () => {
    const free = all.filter(
      ({ keeper, wanter, protectedBy, owner, isLeft, tag }) =>
        (keeper ?? wanter ?? protectedBy ?? owner) === undefined && !isLeft && tag.is === "other",
    );
    expect(free.length).toBeGreaterThan(0);
    expect(new Set(free.map((facts) => decideDelete(facts).is))).toEqual(new Set(["delete"]));
  });
});

test("an entry leaves the state without its object only where a resource keeps that, and is named", () => {
  expect(breaches(({ keeper }, decision) => decision.is !== "keep" || decision.by === keeper)).toEqual([]);
});

test("`onDelete: stop` never deletes", () => {
  expect(breaches(({ isLeft }, { is }) => !isLeft || is !== "delete")).toEqual([]);
});

test("each refusal names the object, what it prevents, and a remedy", () => {
  for (const facts of all) {
    const decision = decideDelete(facts);
    if (decision.is !== "refuse") continue;
    for (const outcome of ["delete", "replace"] as const) {
      const { message, hint = "" } = refusalOf(decision.because, facts, outcome);
      expect(message.startsWith("service orders (svc1) ")).toBe(true);
      expect(message.endsWith(`; ${OUTCOME[outcome]}`)).toBe(true);
      expect(message + hint).not.toContain("undefined");
      expect(hint).toMatch(/`pulumi|[Rr]un /);
    }
  }
});
