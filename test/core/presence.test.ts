// Each line of evidence that an object is gone, and what withholds it.

import { beforeEach, expect, test } from "vitest";
import type { Target } from "../../provider/core/operation";
import { noteOfDelete, type Presence, presenceIn, provePresence } from "../../provider/core/presence";
import { reportedBy } from "../../provider/core/definitionHelpers";
import { entryOf } from "../../provider/core/entry";
import { Memory } from "../../provider/core/runView";
import type { Reported } from "../../provider/core/reported";
import type { Reader } from "../../provider/core/session";
import { service } from "../../provider/kinds/service/definition";
import { textWith } from "../support/matchers";
import { asked, clock, FAR, reportedThing, things, unlisted, unreadable, useSharedReads, view } from "./sharedThings";

useSharedReads();

let memory: Memory;
let believedGone: string[];
let lines: string[];
beforeEach(() => {
  [memory, believedGone, lines] = [new Memory(), [], []];
});

const reader = (): Reader<Reported> => reportedBy(view, reportedThing);

/** The thing "a" of a project, as a delete or a refresh of it has it. */
function targetOf(id = "a", more: object = {}, deadlineMs = FAR): Target {
  const pace = { clock, intervalMs: 1_000, intervalMaxMs: 15_000, random: () => 0 };
  const resource = {
    kind: "service",
    noun: "thing",
    hasGlobalIds: true,
    deadlinesMs: () => ({ delete: 60_000 }),
    reader,
    ...more,
  };
  const session = {
    clock,
    pace,
    timeScale: 1,
    config: { baseUrl: "http://here" },
    client: { serverTime: () => 0 },
  };
  const context = {
    memory,
    progress: (line: string) => lines.push(line),
    believesGone: (projectId: string) => believedGone.includes(projectId),
  };
  const scope = { projectId: "p1" };
  const target: object = { resource, session, context, id, scope, label: `thing ${id}`, deadlineMs };
  return target as Target;
}

/** "a" as reads have shown it, before it answers 404 and no list has it. */
async function missed(): Promise<void> {
  await view.list();
  await view.fetch("a", FAR);
  things.delete("a");
  await view.fetch("a", FAR);
  asked.length = 0;
}

/** What is concluded, after how many seconds. */
async function concluded(watch: () => Promise<Presence>): Promise<[unknown, number]> {
  const beganMs = clock.now();
  const presence = await watch();
  const words = { none: () => presence.is === "none" && presence.evidence, shown: () => "shown" };
  const said = presence.is === "unproven" ? presence.error.message : words[presence.is]();
  return [said, Math.floor((clock.now() - beganMs) / 1_000)];
}

const inSeconds = async (s: number, act: () => void): Promise<void> => {
  await clock.sleep(s * 1_000);
  act();
};

test("an item that the server calls DELETED is gone, in any spelling, and any other is shown", () => {
  expect(presenceIn(reportedThing({ id: "a", value: -1 }))).toMatchObject({ is: "none", evidence: "deleted" });
  expect(presenceIn(reportedThing({ id: "a", value: 1 }))).toMatchObject({ is: "shown" });
});

const watchAccepted = (target = targetOf()): Promise<Presence> => provePresence(target, { isAccepted: true });

test("after an accepted delete, a second 404 and a list that began after it are enough, and no row says that anything is missing", async () => {
  await missed();
  expect(await concluded(watchAccepted)).toEqual(["removed", 0]);
  expect([asked, lines]).toEqual([["a", "*"], []]);
});

test("after an accepted delete, a second read that shows the object ends the watch", async () => {
  await missed();
  things.set("a", 1);
  expect(await concluded(watchAccepted)).toEqual(["shown", 0]);
});

test("after an accepted delete, a list that still has the object proves nothing at the deadline", async () => {
  await missed();
  const deadlineMs = clock.now() + 10_000;
  unreadable.push({ id: "a", problem: "status" });
  const [said] = await concluded(() => watchAccepted(targetOf("a", {}, deadlineMs)));
  expect(said).toContain("a read by its id says that it is gone, but its list still has it");
});

test("after an accepted delete, a part whose owner is hidden takes as long as an absence that nobody asked for", async () => {
  await missed();
  const hidden = { listAll: () => Promise.resolve(undefined), parent: { key: "serviceId", reader } };
  const [said, seconds] = await concluded(() => watchAccepted(targetOf("a", hidden)));
  expect([said, seconds >= 30]).toEqual(["missing", true]);
});

const watch = (target = targetOf()): Promise<Presence> => provePresence(target);

test("an object that nobody deleted is gone after half a minute of lists without it, with a 404 at the start and at the end", async () => {
  await missed();
  const [said, seconds] = await concluded(watch);
  expect([said, seconds >= 30, seconds < 35]).toEqual(["missing", true, true]);
  expect(lines[0]).toBe("thing a was not found; watching for 30 s to see whether it reappears");
  expect(asked.filter((one) => one === "a")).toHaveLength(1);
  expect(asked.at(-1)).toBe("*");
});

test.each([5, 29])("an object that shows in a list again after %i s is shown", async (s) => {
  await missed();
  const [[said, seconds]] = await Promise.all([concluded(watch), inSeconds(s, () => void things.set("a", 1))]);
  expect([said, seconds <= s + 5]).toEqual(["shown", true]);
});

test("an object that answers by its id at the end, while no list has it, is shown", async () => {
  await missed();
  unlisted.add("a");
  const [[said]] = await Promise.all([concluded(watch), inSeconds(20, () => void things.set("a", 1))]);
  expect(said).toBe("shown");
});

test("an object is not proven to be gone in less than half a minute", async () => {
  await missed();
  const [said] = await concluded(() => watch(targetOf("a", {}, clock.now() + 5_000)));
  expect(said).toContain("thing a was not found, but for less than 30 s, so it does not count as gone");
});

test("an object is not proven to be gone by a list with an entry that cannot be read and may be it", async () => {
  await missed();
  unreadable.push({ problem: "id" });
  const [said] = await concluded(() => watch(targetOf("a", {}, clock.now() + 40_000)));
  expect(said).toContain("an entry that cannot be read may be it");
});

const isCut = "the list of the server is cut: it lacks thing b, which answers by its id; nothing was concluded from it";

test("an object is not proven to be gone by a list that lacks another one which a read has shown", async () => {
  await missed();
  await view.fetch("b", FAR);
  unlisted.add("b");
  expect((await concluded(watch))[0]).toBe(isCut);
});

test("an object is not proven to be gone by a list that lacks another one which the state alone has", async () => {
  unlisted.add("b");
  await missed();
  memory.view.compared({ key: "urn:b", name: "b" }, entryOf(service, "b", { name: "b", projectId: "p1" }));
  expect((await concluded(watch))[0]).toBe(isCut);
});

test("an object is proven to be gone although lists lack another one that is being deleted", async () => {
  await missed();
  await view.fetch("b", FAR);
  things.set("b", 0);
  unlisted.add("b");
  expect((await concluded(watch))[0]).toBe("missing");
});

const watchAlone = async (more: object = {}): Promise<Presence> => {
  await missed();
  things.clear();
  return provePresence(targetOf("a", more));
};
const missing = { is: "none", evidence: "missing" };
const allGone = (what: string): object => ({
  is: "unproven",
  error: {
    errorName: "all-gone",
    message: textWith(`thing a is missing, and project p1 shows no ${what}: this may be an outage`),
    hint: textWith("DBCLOUD_BELIEVE_GONE=p1"),
  },
});
const nothing = allGone("thing at all");
test("the absence of all objects proves nothing, and its error says what to do if they are gone", async () => {
  expect(await watchAlone()).toMatchObject(nothing);
});

test("the absence of all objects counts where the user says so, of that project alone", async () => {
  believedGone = ["p2"];
  expect(await watchAlone()).toMatchObject(nothing);
  believedGone = ["p1"];
  expect(await watchAlone()).toMatchObject(missing);
});

test("the absence of the only object counts where an earlier run has deleted it", async () => {
  memory.notes.write(noteOfDelete(targetOf()), "-60000");
  expect(await watchAlone()).toMatchObject(missing);
  memory.notes.write(noteOfDelete(targetOf()), "-60001");
  expect(await watchAlone()).toMatchObject(nothing);
});

test("the absence of the only object counts where this run has deleted it, by its other entry", async () => {
  const by = { key: "urn:a", name: "a" };
  const entry = entryOf(service, "a", { name: "a", projectId: "p1" });
  memory.view.tell(by, { is: "intends to destroy", entry });
  memory.view.tell(by, { is: "destroyed", object: entry.object, isGone: true });
  expect(await watchAlone()).toMatchObject(missing);
});

test("the absence of the only part counts where what it is in is shown, or another one of that kind", async () => {
  const part = { parent: { key: "serviceId", noun: "service", reader } };
  expect(await watchAlone({ ...part, listAll: () => view.list() })).toMatchObject(missing);
  const hidden = { ...part, listAll: () => Promise.resolve(undefined) };
  expect(await watchAlone(hidden)).toMatchObject(allGone("service at all"));
  const others = [reportedThing({ id: "v", value: 1 })];
  const watchSince = (sinceMs: number | undefined) => {
    const parents = { list: () => Promise.resolve(others), absentSinceMs: () => sinceMs };
    return watchAlone({ ...hidden, parent: { ...part.parent, reader: () => parents } });
  };
  expect(await watchSince(Number.NEGATIVE_INFINITY)).toMatchObject(missing);
  expect(await watchSince(undefined)).toMatchObject({ error: { errorName: "gone-too-short" } });
});
