// The processes of one run read each other's events, and nobody reads those of an earlier run or of another engine.

import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import type * as nodeOs from "node:os";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { openRunFiles, readOnce } from "../../provider/host/runFiles";
import type { Event, RunLog } from "../../provider/core/runLog";
import { type KnownEntry, RunView } from "../../provider/core/runView";
import { temporaryFolder } from "../support/folder";

// Test files of a worker share their modules: another one may have loaded what uses `node:os`.
vi.hoisted(() => vi.resetModules());
vi.mock("node:os", async (original) => {
  const os = await original<typeof nodeOs>();
  const known = <T>(ask: () => T): T => {
    if (isUnknown) throw new Error("no such user");
    return ask();
  };
  return {
    ...os,
    homedir: () => known(os.homedir),
    userInfo: () => known(() => ({ ...os.userInfo(), homedir: account ?? os.userInfo().homedir })),
  };
});
/** The home of the user by the accounts of the machine. */
let account: string | undefined;
/** No account of the machine, as that of some containers. */
let isUnknown = false;

const ENGINE = "127.0.0.1:4711";
const NOWHERE = "/dev/null/pulumi";
const by = { key: "urn:db", name: "db" };

const removed = (id: string): Event => ({ is: "destroyed", by, object: `service/${id}`, isGone: true });

let home: string;
let temporary: string | undefined;
beforeEach(() => {
  home = path.join(temporaryFolder(), "pulumi");
  temporary = process.env["TMPDIR"];
  // The one of all users may have the runs of other tests of this machine.
  process.env["TMPDIR"] = temporaryFolder();
});
afterEach(() => {
  if (temporary === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = temporary;
});

const open = (engine = ENGINE, environment: Record<string, string> = { PULUMI_HOME: home }): RunLog =>
  openRunFiles(engine, environment);
const runs = (): string => path.join(home, "dbcloud", "runs");
const onlyRun = (): string => path.join(runs(), readdirSync(runs()).at(-1) ?? "");

/** Writes the event as a process that has ended. */
function asOfEnded(event: Event): void {
  const [name = ""] = readdirSync(onlyRun());
  writeFileSync(path.join(onlyRun(), name.replace(/^\d+/, "4194305")), `${JSON.stringify(event)}\n`);
}

test("each event is read once by each other process, in order, and not by the one that wrote it", () => {
  const [one, other] = [open(), open()];
  expect([one.append(removed("a")), one.append(removed("b"))]).toEqual([true, true]);
  expect(other.next()).toEqual([removed("a"), removed("b")]);
  one.append(removed("c"));
  expect([other.next(), other.next(), one.next()]).toEqual([[removed("c")], [], []]);
  expect(open().next()).toEqual([removed("a"), removed("b"), removed("c")]);
});

test("what is asked without a pause is answered from one read, and from a new one after an event of one's own", async () => {
  const [one, other] = [open(), readOnce(open())];
  one.append(removed("a"));
  expect(other.next()).toEqual([removed("a")]);
  one.append(removed("b"));
  expect(other.next()).toEqual([]);
  other.append(removed("c"));
  expect(other.next()).toEqual([removed("b")]);
  one.append(removed("d"));
  await Promise.resolve();
  expect(other.next()).toEqual([removed("d")]);
});

test("a process that begins later is seen", () => {
  const other = open();
  open().append(removed("a"));
  expect(other.next()).toEqual([removed("a")]);
  open().append(removed("b"));
  expect(other.next()).toEqual([removed("b")]);
});

const OBJECT = "service/svc1 p1";
const entry: KnownEntry = {
  object: OBJECT,
  id: "svc1",
  name: "orders",
  label: "service orders (svc1)",
  protection: "protected",
  mayGoUnread: false,
  tagProtects: true,
  stopsOnDelete: false,
  adoptId: undefined,
  created: undefined,
  located: {},
  shownOnce: {},
};
const checked = { kind: "service", name: "orders", adopts: undefined, owner: undefined, isProtected: true };
const declared = { place: "p1", words: "orders", before: "bills", isAlone: true };

/** What each kind of event begins with, and how it is written. */
const WRITES: Readonly<Record<Event["is"], readonly ((view: RunView) => unknown)[]>> = {
  checked: [(view) => view.tell(by, { is: "checked", ...checked, isNew: true })],
  declared: [
    (view) => view.tell(by, { is: "checked", ...checked, isNew: false }),
    (view) => view.declares(by, declared),
  ],
  compared: [(view) => view.tell(by, { is: "checked", ...checked, isNew: false }), (view) => view.compared(by, entry)],
  replaced: [
    (view) => view.tell(by, { is: "replaced", object: OBJECT, as: "as changed" }),
    (view) => view.tell(by, { is: "replaced", object: OBJECT, as: "as failed" }),
  ],
  planned: [
    (view) => view.tell(undefined, { is: "planned", object: OBJECT, protection: "unprotected" }),
    (view) => view.tell(undefined, { is: "planned", object: OBJECT, protection: "unprotected", moves: "moves" }),
  ],
  "intends to adopt": [(view) => view.tell(by, { is: "intends to adopt", objects: [OBJECT] })],
  "intends to destroy": [(view) => view.tell(by, { is: "intends to destroy", entry })],
  destroyed: [
    (view) => view.tell(by, { is: "intends to destroy", entry }),
    (view) => view.tell(by, { is: "destroyed", object: OBJECT, isGone: false }),
    (view) => view.tell(by, { is: "intends to destroy", entry }),
    (view) => view.tell(by, { is: "destroyed", object: OBJECT, isGone: true }),
  ],
  obtained: [(view) => view.obtained(by, OBJECT)],
  attempted: [
    (view) => view.tell(by, { is: "attempted", outcome: "failed" }),
    (view) => view.tell(by, { is: "attempted", outcome: "succeeded" }),
    (view) => view.tell(by, { is: "attempted", outcome: "lost" }),
  ],
  seen: [
    (view) => view.tell(by, { is: "seen", entry, isWritten: false }),
    (view) => view.tell(by, { is: "seen", entry: { ...entry, protection: "untagged" }, isWritten: true }),
  ],
  referred: [(view) => view.tell(by, { is: "referred", object: OBJECT })],
};

/** Everything that a process asks of the others. */
const answersOf = (view: RunView): unknown => {
  const { keeper, isGivenUp, mayBeReplaced: _, parts, ...claims } = view.claimsOn(OBJECT);
  return {
    keeper: keeper?.replace(" (under another provider)", ""),
    claims: [claims, isGivenUp("bills"), parts(), view.claimsOn("service/svc2").mayBeReplaced()],
    resource: view.resource(by),
    run: [view.failed(), view.hasMade("svc1")],
    beside: view.declaredBeside({ key: "urn:other", name: "other" }, "p1", "orders"),
  };
};

test.each(Object.entries(WRITES))("what one process has %s, each other one knows at its next question", (_, writes) => {
  const [one, other] = [new RunView(open()), new RunView(open())];
  for (const write of writes) {
    const before = answersOf(other);
    write(one);
    expect(answersOf(other)).not.toEqual(before);
    expect(answersOf(other)).toEqual(answersOf(one));
  }
  expect(answersOf(new RunView(open()))).toEqual(answersOf(one));
});

test("the processes of another engine are not read", () => {
  open().append(removed("a"));
  expect(open("127.0.0.1:4712").next()).toEqual([]);
});

test.runIf(process.platform === "linux")(
  "a run is that of the engine's socket, whichever process has started the provider",
  async () => {
    const engine = createServer().listen(0, "127.0.0.1");
    await once(engine, "listening");
    const { port } = engine.address() as AddressInfo;
    const address = `127.0.0.1:${port}`;
    open(address).append(removed("a"));
    asOfEnded(removed("b"));
    expect(open(address).next()).toHaveLength(2);
    await promisify(engine.close.bind(engine))();
    const later = createServer().listen(port, "127.0.0.1");
    await once(later, "listening");
    expect(open(address).next()).toEqual([]);
    await promisify(later.close.bind(later))();
  },
);

test("without the socket of the engine, what an ended process wrote does not count", () => {
  open().append(removed("a"));
  asOfEnded(removed("b"));
  expect(open().next()).toEqual([removed("a")]);
});

test("a line without its end is not written yet", () => {
  const one = open();
  one.append(removed("a"));
  const file = path.join(onlyRun(), readdirSync(onlyRun())[0] ?? "");
  const other = open();
  const line = JSON.stringify(removed("b"));
  appendFileSync(file, line.slice(0, 20));
  expect(other.next()).toEqual([removed("a")]);
  appendFileSync(file, `${line.slice(20)}\n`);
  expect(other.next()).toEqual([removed("b")]);
});

test("a line that cannot be read is told, and those after it are read", () => {
  const one = open();
  one.append(removed("a"));
  const file = path.join(onlyRun(), readdirSync(onlyRun())[0] ?? "");
  appendFileSync(file, `\u0000\u0000\n\n`);
  one.append(removed("b"));
  expect(open().next()).toEqual([removed("a"), undefined, undefined, removed("b")]);
  expect(new RunView(open()).unshared()).toBe("unread");
});

test("the folders are the user's alone, and old runs go", () => {
  const old = path.join(runs(), "old");
  mkdirSync(old, { recursive: true, mode: 0o700 });
  utimesSync(old, 0, 0);
  open().append(removed("a"));
  expect(readdirSync(runs())).not.toContain("old");
  expect(statSync(onlyRun()).mode & 0o077).toBe(0);
});

test("where PULUMI_HOME cannot be written, a folder of the user below the temporary directory is used", () => {
  const environment = { PULUMI_HOME: NOWHERE };
  expect(open(ENGINE, environment).append(removed("a"))).toBe(true);
  expect(open(ENGINE, environment).next()).toEqual([removed("a")]);
  const [folder = ""] = readdirSync(tmpdir());
  expect(statSync(path.join(tmpdir(), folder)).mode & 0o077).toBe(0);
});

test("a user without an account and a home has the temporary directory, as the other processes of the run", () => {
  isUnknown = true;
  onTestFinished(() => void (isUnknown = false));
  expect(open(ENGINE, {}).append(removed("a"))).toBe(true);
  expect(open(ENGINE, {}).next()).toEqual([removed("a")]);
  expect(readdirSync(tmpdir())).toHaveLength(1);
});

test("another HOME of one process (`envVarMappings`) takes it to no other run", () => {
  account = temporaryFolder();
  onTestFinished(() => void (account = undefined));
  open(ENGINE, {}).append(removed("a"));
  vi.stubEnv("HOME", temporaryFolder());
  expect(open(ENGINE, {}).next()).toEqual([removed("a")]);
});

test("a folder below the temporary directory that others can write to is not read", () => {
  const environment = { PULUMI_HOME: NOWHERE };
  open(ENGINE, environment).append(removed("a"));
  const [folder = ""] = readdirSync(tmpdir());
  chmodSync(path.join(tmpdir(), folder), 0o777);
  expect(open(ENGINE, environment).next()).toEqual([]);
});

test("what could not be written is written with the next event", () => {
  const environment = { PULUMI_HOME: home };
  process.env["TMPDIR"] = NOWHERE;
  writeFileSync(home, "");
  const one = open(ENGINE, environment);
  expect(one.append(removed("a"))).toBe(false);
  rmSync(home);
  expect(one.append(removed("b"))).toBe(true);
  expect(open(ENGINE, environment).next()).toEqual([removed("a"), removed("b")]);
});

test("where neither can be written, the writer is told so", () => {
  process.env["TMPDIR"] = NOWHERE;
  expect(open(ENGINE, { PULUMI_HOME: NOWHERE }).append(removed("a"))).toBe(false);
});

test("words that can hold values of inputs are written as digests", () => {
  const { digest } = open();
  expect(digest("10.0.0.0/24")).toBe(open().digest("10.0.0.0/24"));
  expect(digest("10.0.0.0/24")).not.toContain("10.0");
});
