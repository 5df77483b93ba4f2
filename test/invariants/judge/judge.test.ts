// The judge, on commands of a walk that did wrong: each promise is broken once.

import { expect, test } from "vitest";
import { createEmulator, type Emulator } from "../../../emulator/index";
import { ask, judgeRun, type Previewed, watch } from "../../engine/walk/report";
import type { Ran } from "../../engine/walk/cli";
import type { Entry, Look } from "../../engine/walk/look";
import { type Breach, type Held, Judge } from "./judge";
import { factsOf, isLeaving } from "./truth";

interface Given {
  /** What the state has of the service beside the usual. */
  entry?: Partial<Entry>;
  /** What somebody else and the provider do. */
  calls?: readonly ("tag" | "GET" | "DELETE" | "POST")[];
  /** Whether the run reads all objects into the state first. */
  refreshes?: boolean;
  /** Whether the service has the tag PROD before. */
  isTagged?: boolean;
  /** Whether an earlier command was asked to delete the service, and was killed before it did. */
  isAskedBefore?: boolean;
  /** Where it is said that the service is deleted, or what happens to it. */
  says?: readonly ("preview" | "run")[];
  op?: string;
  /** Of the run. */
  fails?: boolean;
  text?: string;
  isKilled?: boolean;
  /** Whether the program has it, the run is to adopt it, the state names it afterwards. */
  isDeclared?: boolean;
  isWanted?: boolean;
  isKept?: boolean;
}

const SPEC = { name: "db", regionCode: "us-east-1", cpuMillis: 500, memoryGbs: 2 };
const BODY = { name: "db", region_code: "us-east-1", cpu_millis: "500", memory_gbs: "2" };

async function send({ baseUrl, apiKey, projectId }: Emulator, method: string, id: string): Promise<void> {
  const own = { authorization: `Bearer ${apiKey}`, "user-agent": "pulumi-dbcloud" };
  const [at, body] = method === "POST" ? ["", { body: JSON.stringify(BODY) }] : [`/${id}`, {}];
  const headers = { ...own, "content-type": "application/json" };
  await fetch(`${baseUrl}/projects/${projectId}/services${at}`, { method, headers, ...body });
}

const nowMs = (): number => 0;

/** What of a service the judge is told, in one or several commands. */
type Told = (judge: Judge, db: Held, emulator: Emulator) => unknown;

/** The breaches in what is told. */
async function breachesIn(tell: Told, service: { environment?: "PROD" } = {}): Promise<Breach[]> {
  const emulator = await createEmulator({ timings: { delete: 0 } });
  const judge = new Judge(() => emulator, nowMs);
  watch(judge, emulator);
  const { id } = emulator.mutate.createService({ ...SPEC, ...service });
  await tell(judge, { logical: "db", kind: "service", id, inputs: {}, outputs: {}, isPending: false }, emulator);
  await emulator.close();
  return judge.violations.map(({ breach }) => breach);
}

async function tellWalk(given: Given, judge: Judge, held: Held, emulator: Emulator): Promise<void> {
  const {
    entry,
    calls = [],
    says = [],
    op = "delete",
    fails = false,
    text = "",
    isKilled = false,
    isKept = true,
  } = given;
  const { id } = held;
  const db: Entry = { ...held, stack: "dev", urn: "urn:db", isRetained: false, deletedWith: undefined, ...entry };
  const look = (entries: Entry[]): Look => {
    const facts = factsOf(emulator.state()).filter((fact) => !isLeaving(fact));
    return { entries, objects: new Map(facts.map((one) => [one.id, one])), ledger: emulator.ledger(), stored: "" };
  };
  const said = (where: "preview" | "run"): Ran["ops"] =>
    says.includes(where) ? [{ op, urn: "urn:db", id: db.id }] : [];
  const previewed: Previewed = {
    verb: "up",
    stack: "dev",
    declared: given.isDeclared === true ? [{ logical: "db", kind: "service", args: {} }] : [],
    isRun: true,
    before: look([db]),
    preview: { code: 0, text: "", ops: said("preview") },
    wanted: given.isWanted === true ? [id] : [],
    reach: "program",
  };
  judge.secrets.add("s3cret");
  if (given.isAskedBefore === true) {
    const before: Previewed = {
      ...previewed,
      preview: { code: 0, text: "", ops: [{ op: "delete", urn: "urn:db", id }] },
    };
    judge.begin();
    ask(judge, before);
    const run = { code: 1, text: "", ops: [] };
    judgeRun(judge, { ...before, after: look([db]), run, isSure: false, isKilled: true });
  }
  judge.begin();
  judge.refreshes = given.refreshes === true;
  ask(judge, previewed);
  for (const one of calls) {
    if (one === "tag") emulator.mutate.service(id, { environment: "PROD" });
    else await send(emulator, one, id);
  }
  const run = { code: fails ? 1 : 0, text: text.replace("ID", id), ops: said("run") };
  judgeRun(judge, { ...previewed, after: look(isKept ? [db] : []), run, isSure: !isKilled, isKilled });
}

const killed: Given = { says: ["preview"], isKept: false, isKilled: true };
const gone: Given = { says: ["preview", "run"], calls: ["GET", "DELETE"], isKept: false };

test.each<[string, Given, Breach[]]>([
  ["nothing", {}, []],
  ["a delete as previewed", gone, []],
  ["a delete that no preview showed", { calls: ["DELETE"], isKept: false }, ["unasked delete"]],
  ["a replacement that no preview showed", { ...gone, says: ["run"], op: "replace" }, ["unasked delete", "untrue"]],
  [
    "a replacement of what has failed since the preview",
    { ...gone, says: ["run"], op: "replace", text: "db (ID) has failed", isKilled: true },
    [],
  ],
  [
    "a delete that only an earlier command was asked for",
    { isAskedBefore: true, calls: ["DELETE"] },
    ["unasked delete", "lost id"],
  ],
  ["a delete of what is protected", { ...gone, entry: { outputs: { deletionProtection: true } } }, ["unasked delete"]],
  ["a delete of what the run is to adopt", { ...gone, isWanted: true }, ["unasked delete"]],
  [
    "a delete of what has the tag PROD, without a look",
    { ...gone, isTagged: true, calls: ["DELETE"] },
    ["unasked delete"],
  ],
  ["a delete after a look at the tag PROD", { ...gone, calls: ["GET", "tag", "GET", "DELETE"] }, ["unasked delete"]],
  ["a delete of what was tagged after the last look", { ...gone, calls: ["GET", "tag", "DELETE"] }, []],
  [
    "a delete of PROD that the program has allowed",
    { ...gone, isTagged: true, entry: { inputs: { deletionProtection: false }, outputs: { environment: "PROD" } } },
    [],
  ],
  [
    "a delete of PROD that the program has tagged and allowed, and no run has read",
    { ...gone, isTagged: true, entry: { inputs: { deletionProtection: false, environment: "PROD" } } },
    [],
  ],
  [
    "a delete of PROD that somebody else has tagged, although the protection is off",
    { ...gone, isTagged: true, entry: { inputs: { deletionProtection: false } } },
    ["unasked delete"],
  ],
  ...[1, 2].map((reads): [string, Given, Breach[]] => [
    `a delete of PROD that somebody else has tagged, after ${reads} reads of a run that refreshes`,
    {
      ...gone,
      isTagged: true,
      refreshes: true,
      entry: { inputs: { deletionProtection: false } },
      calls: [...Array.from({ length: reads }, () => "GET" as const), "DELETE"],
    },
    reads === 1 ? ["unasked delete"] : [],
  ]),
  ["a delete of what a resource still has", { ...gone, isDeclared: true, isKept: true }, ["lost id"]],
  ["an entry that is dropped", { ...gone, calls: [] }, ["lost id"]],
  ["an entry whose object is gone", { calls: ["DELETE"] }, ["unasked delete", "lost id"]],
  ["an entry whose object was gone before, and another object", { entry: { id: "gone" } }, ["orphan"]],
  ["a run that does more", { says: ["run"] }, ["untrue"]],
  ["a run that does less", { says: ["preview"] }, ["untrue"]],
  ["a run that fails", { fails: true, text: "error: surprise" }, ["untrue"]],
  ["an object in no state", { calls: ["POST"] }, ["duplicate", "lost id", "orphan"]],
  ["an object that a kill has lost", { ...killed, calls: ["DELETE", "POST"] }, []],
  ["two objects that a kill has lost", { ...killed, calls: ["DELETE", "POST", "POST"] }, ["duplicate", "duplicate"]],
  [
    "a new object for one that was gone before, beside another one of its name",
    { ...killed, entry: { id: "gone", inputs: { name: "db" } }, op: "replace", calls: ["POST"] },
    ["duplicate", "duplicate"],
  ],
  [
    "a resource that is left without its object",
    { ...gone, isDeclared: true, fails: true, text: "there is already" },
    ["half done"],
  ],
  ["a secret in the output", { text: "password s3cret" }, ["leak"]],
])("the judge names the breach in %s, if there is one", async (_, given, breaches) => {
  const tell: Told = (...to) => tellWalk(given, ...to);
  expect(await breachesIn(tell, given.isTagged === true ? { environment: "PROD" } : {})).toEqual(breaches);
});

test.each<[string, (judge: Judge, id: string) => void]>([
  ["an error of an earlier command", (judge, id) => judge.told(`service db (${id}) is paused`)],
  ["an unknown outcome of another create", (judge) => judge.unknownOutcomes.set("service db", "db")],
])("%s excuses no object that is lost after it", async (_, happens) => {
  const breaches = await breachesIn((judge, db) => {
    judge.begin();
    happens(judge, db.id);
    judge.review([db], false);
    judge.begin();
    judge.review([], false);
  });
  expect(breaches).toEqual(["orphan"]);
});

test.each<[string, isDropped: boolean, isListed: boolean, Breach[]]>([
  ["is a breach", false, true, ["duplicate"]],
  ["is a breach where no list was read", true, false, ["duplicate"]],
  ["is none where this command deletes the first one", true, true, []],
])("a second object beside one that no list has shown %s", async (_, isDropped, isListed, breaches) => {
  const tell: Told = async (judge, db, emulator) => {
    judge.begin(isDropped ? [db.id] : []);
    if (isListed) judge.shown(`/projects/${emulator.projectId}/services`, "[]");
    await send(emulator, "POST", db.id);
    const made = emulator.state().services.filter(({ id }) => id !== db.id);
    judge.review([db, ...made.map(({ id }) => ({ ...db, id }))], false);
  };
  expect(await breachesIn(tell)).toEqual(breaches);
});

test.each<[string, { isDropped: boolean; isProtected?: boolean }, Breach[]]>([
  ["has no more", { isDropped: true }, []],
  ["has no more, but protects", { isDropped: true, isProtected: true }, ["lost id"]],
  ["still has", { isDropped: false }, ["lost id"]],
])("the object of an entry that the program %s goes by the delete of another one", async (_, given, breaches) => {
  const tell: Told = async (judge, db, emulator) => {
    const entry = { ...db, outputs: { deletionProtection: given.isProtected === true } };
    judge.begin();
    if (given.isDropped) judge.dropping(entry);
    judge.deleting({ ...db, logical: "db-2" });
    await send(emulator, "GET", db.id);
    await send(emulator, "DELETE", db.id);
    judge.review([entry], false);
  };
  expect(await breachesIn(tell)).toEqual(breaches);
});

test("an entry whose delete has ended, and whose object is there, is a loss", async () => {
  const breaches = await breachesIn((judge, db) => {
    judge.begin();
    judge.told(`service db (${db.id}) is deleted`);
    judge.forgotten(db, "delete");
    judge.review([], false);
  });
  expect(breaches).toEqual(["lost id"]);
});

test.each([
  ["has recovered before the run", -2, ["unasked delete"]],
  ["recovers in the run", 1, []],
])("a delete because of a failure from which its object %s is told from others", async (_, healedMs, breaches) => {
  const tell: Told = async (judge, db, emulator) => {
    const inputs = { name: "db", allowReplace: true };
    const engines = { isHalfMade: false, needs: [], provider: undefined, trigger: undefined, deletedWith: undefined };
    const entry = { ...db, ...engines, inputs, outputs: { status: "failed" } };
    judge.begin();
    judge.healedMs.set(db.id, healedMs);
    judge.replacing({ logical: "db", kind: "service", args: inputs }, entry, inputs);
    judge.deleting(entry);
    await send(emulator, "GET", db.id);
    await send(emulator, "DELETE", db.id);
    judge.review([], false);
  };
  expect(await breachesIn(tell)).toEqual(breaches);
});
