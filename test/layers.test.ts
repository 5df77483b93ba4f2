// The layers of the source: who may import whom, what stays below, and what may never be written. Read from the files
// themselves, so that a new file is held to them too.

import { describe, expect, test } from "vitest";
import {
  importedFiles,
  importsOf,
  isOurs,
  isWireName,
  loadedAtOnce,
  longestChain,
  type Source,
  sourcesIn,
  withoutComments,
  wordsOf,
  usesName,
} from "./support/sources";

/** What each layer may load: layers below it, its own, and packages. */
const MAY_LOAD: Record<string, readonly string[]> = {
  "provider/domain": ["zod"],
  "provider/api": ["provider/domain", "zod", "undici", "node"],
  "provider/plan": ["provider/domain"],
  "provider/core": ["provider/domain", "provider/api", "provider/plan"],
  "provider/host": ["provider/domain", "provider/api", "provider/plan", "provider/core", "@pulumi/pulumi", "node"],
  "provider/pulumi": ["provider/host", "provider/core", "provider/domain", "@pulumi/pulumi", "node"],
  "provider/client": ["provider/domain", "provider/api"],
  plugin: [
    "provider/domain",
    "provider/api",
    "provider/core",
    "provider/host",
    "provider/pulumi",
    "@pulumi/pulumi",
    "@grpc/grpc-js",
    "google-protobuf",
    "node",
  ],
  cli: ["provider/domain", "provider/api", "provider/core", "provider/pulumi", "node"],
  emulator: ["zod", "node"],
  page: ["preact", "zod"],
  testing: ["emulator", "provider/domain", "@pulumi/pulumi", "node"],
};

/** Spelled apart, so that a search for them finds only real ones. */
const OPEN_ENDS = ["TO-DO", "FIX-ME", "XX-X", "HA-CK"].map((word) => word.replace("-", ""));
const sources = ["provider", "plugin", "cli", "emulator", "testing", "page"].flatMap(sourcesIn);

/** What these sources have of it, each with its file. */
const findIn = (some: readonly Source[], partsOf: (source: Source) => readonly string[]): string[] =>
  some.flatMap((source) => partsOf(source).map((part) => `${source.file}: ${part}`));

const filesWhere = (isMeant: (source: Source) => boolean): string[] => sources.filter(isMeant).map(({ file }) => file);
const on = (...layers: readonly string[]): Source[] => sources.filter(({ layer }) => layers.includes(layer));

/** What a source imports, and what of that is loaded and not only read for its types. */
const knownTo = (source: Source): string[] => importsOf(source).map(({ what }) => what);
const loadedBy = (source: Source): string[] => importsOf(source).flatMap(({ what, isType }) => (isType ? [] : [what]));

/** These sources and all that is loaded with them. */
function loadedFrom(some: readonly Source[]): Set<Source> {
  const seen = new Set<Source>();
  const visit = (source: Source): void => {
    if (seen.has(source)) return;
    seen.add(source);
    const targets = loadedAtOnce(source);
    for (const one of sources) if (targets.includes(one.file)) visit(one);
  };
  for (const source of some) visit(source);
  return seen;
}

describe("imports go down only", () => {
  test.each(Object.entries(MAY_LOAD))("%s", (layer, allowed) => {
    expect(on(layer).length).toBeGreaterThan(0);
    const isWrong = (what: string): boolean => what !== layer && !allowed.includes(what);
    expect(findIn(on(layer), (source) => loadedBy(source).filter(isWrong))).toEqual([]);
  });

  test("types may come from below too, never from above", () => {
    const layers = ["provider/domain", "provider/api", "provider/plan", "provider/core", "provider/host"];
    const above = (source: Source): string[] =>
      knownTo(source).filter((what) => layers.indexOf(what) > layers.indexOf(source.layer));
    expect(findIn(on(...layers), above)).toEqual([]);
  });

  test("the emulator is sealed; only test stacks, above both, bring it and the provider together", () => {
    expect(
      findIn(on("emulator"), (source) => knownTo(source).filter((what) => isOurs(what) && what !== "emulator")),
    ).toEqual([]);
    expect(
      filesWhere((one) => !["emulator", "testing"].includes(one.layer) && knownTo(one).includes("emulator")),
    ).toEqual([]);
  });

  test("the page knows nothing but itself, its view library, and the schema's; others read the schema for its types alone", () => {
    const known = new Set(on("page").flatMap(knownTo));
    expect([...known].toSorted()).toEqual(["page", "preact", "zod"]);
    expect(findIn(on("page"), (source) => loadedBy(source).filter((what) => what === "zod"))).toEqual([
      "page/schema.ts: zod",
    ]);
    const others = sources.filter(({ layer }) => layer !== "page");
    expect(findIn(others, (source) => loadedBy(source).filter((what) => what === "page"))).toEqual([]);
  });

  test("nothing imports the command, not even its types", () => {
    expect(filesWhere((source) => source.layer !== "cli" && knownTo(source).includes("cli"))).toEqual([]);
  });

  test("the command loads no Pulumi SDK, which takes longer than its work", () => {
    const seen = loadedFrom(on("cli"));
    expect(seen.size).toBeGreaterThan(50);
    expect(filesWhere((source) => seen.has(source) && loadedBy(source).includes("@pulumi/pulumi"))).toEqual([]);
  });

  test("programs load neither undici nor zod, nor anything that does; what look-ups need is loaded when they are used", () => {
    const seen = [...loadedFrom(sources.filter(({ file }) => file === "provider/index.ts"))];
    expect(seen.length).toBeGreaterThan(5);
    const isOfProgram = /^provider\/(?:index|pulumi\/.*|kinds\/.*\bclass)\.ts$/;
    const others = seen.map(({ file }) => file).filter((file) => !isOfProgram.test(file));
    const plain = ["config/previewWarnings", "config/runEnvironment", "endpoint", "values/printable"].map(
      (file) => `provider/domain/${file}.ts`,
    );
    expect(others.toSorted()).toEqual(plain);
    const packages = new Set(seen.flatMap(loadedBy).filter((what) => !isOurs(what) && what !== "node"));
    expect([...packages]).toEqual(["@pulumi/pulumi"]);
  });
});

/** Files of the core that are read, one after the other, to follow one call to its end, without and with types. */
test.each([
  [6, "that load each other", loadedAtOnce],
  [7, "that import each other, types included", importedFiles],
] as const)("no chain of more than %i files of the core %s", (most, _how, targetsOf) => {
  const chain = longestChain(new Map(on("provider/core").map((source) => [source.file, targetsOf(source)])));
  expect(chain.length).toBeGreaterThan(4);
  expect(chain.slice(most)).toEqual([]);
});

describe("what stays on one layer", () => {
  const elsewhere = sources.filter(({ layer }) => layer !== "provider/api" && layer !== "emulator");

  test("wire names are in api and emulator alone", () => {
    expect(findIn(elsewhere, (source) => wordsOf(source).filter(isWireName))).toEqual([]);
  });

  test("path templates are in api and emulator alone", () => {
    const templates = ({ text }: Source): string[] => text.match(/["`]\/projects\b/g) ?? [];
    expect(findIn(on("provider/api"), templates).length).toBeGreaterThan(5);
    expect(findIn(elsewhere, templates)).toEqual([]);
  });

  test("only the transport speaks HTTP", () => {
    expect(filesWhere((source) => loadedBy(source).includes("undici"))).toEqual(["provider/api/http/transport.ts"]);
    // By its public entry: a path inside the package would tie users to one version, security updates included.
    expect(filesWhere(({ text }) => text.includes('"undici/'))).toEqual([]);
    const speaks = (source: Source): boolean =>
      usesName(source, "fetch") || /^import .*\b(?:get|request)\b.*"node:https?"/m.test(source.text);
    expect(filesWhere((source) => !["emulator", "page"].includes(source.layer) && speaks(source))).toEqual([]);
  });

  test("the time is asked of one clock for how long, and of one for the time of day", () => {
    const askers = (name: RegExp): string[] =>
      filesWhere((source) => /^(?:provider\/|cli$)/.test(source.layer) && name.test(withoutComments(source)));
    expect(askers(/\bperformance\b|\bhrtime\b/)).toEqual(["provider/api/clock.ts"]);
    expect(askers(/\bDate\.now\b|\bnew Date\(\)|\bDate\(\)/)).toEqual(["provider/api/clock.ts"]);
    const timers = askers(/\bsetTimeout\b|\bsetInterval\b/);
    expect(timers.filter((file) => /^provider\/(?:domain|plan|core)\//.test(file))).toEqual([]);
  });

  test("only one place runs the steps of a plan", () => {
    const senders = findIn(on("provider/core"), ({ text }) => text.match(/\bresource\.send\(/g) ?? []);
    expect(new Set(senders)).toEqual(new Set(["provider/core/converge.ts: resource.send("]));
  });

  test("one loop of the core waits, beside the sender and the observer: what waits puts a question to it", () => {
    const sleeps = ({ file, text }: Source): boolean =>
      /^provider\/(?:core|kinds)\//.test(file) && /\b#?clock\.sleep\(/.test(text);
    // `open` ends each sleep with the operation.
    const known = ["observer", "open", "send", "wait"].map((name) => `provider/core/${name}.ts`);
    expect(filesWhere(sleeps).toSorted()).toEqual(known);
  });

  test("the planners are pure", () => {
    const forbidden =
      /\bawait\b|\basync\b|\bPromise\b|\bDate\b|\bfetch\b|\bsetTimeout\b|\bprocess\b|\bMath\.random\b|[cC]lock\b/g;
    expect(findIn(on("provider/plan"), (source) => withoutComments(source).match(forbidden) ?? [])).toEqual([]);
  });

  test("no state in a module of the core or the host: an instance has it", () => {
    const holders = on("provider/core", "provider/host");
    expect(findIn(holders, ({ text }) => text.match(/^(?:export )?(?:let|var) .*/gm) ?? [])).toEqual([]);
  });

  test("the core knows no word of Pulumi's beside the commands in its messages, and hidden keys in the state alone", () => {
    const isForeign = (word: string): boolean => /^(?:urn|pulumi)|(?:Urn|URN|Pulumi)/.test(word) && !/\s/.test(word);
    const foreignIn = (source: Source): string[] => {
      const isStateFile = /^provider\/core\/(?:compare|declared|deployment|protection|state)\.ts$/.test(source.file);
      const isHidden = (word: string): boolean => word.startsWith("__") && !isStateFile;
      return wordsOf(source).filter((word) => isForeign(word) || isHidden(word) || word === "__provider");
    };
    expect(findIn(on("provider/core"), foreignIn)).toEqual([]);
  });

  test("what is true of one kind of resource stands in its table: generic code names no id, input or operation of it", () => {
    const ofOneKind =
      /^(?:vpcId|serviceId|peeringId|replicaSetId|poolerEnabled|haReplicas|paused|environment|PROD|password|initialPassword|deletionProtection|(?:delete|create|fork)(?:Service|Vpc|Peering|ReplicaSet))$/;
    const generic = sources
      .filter(({ file }) => file.startsWith("provider/core/"))
      // Look-ups are for one kind each, protection stands in one file whatever kind has it, and a session has a reader of each.
      .filter(({ file }) => !/\/(?:lookups|protection|session|createSession|presence|kind)\.ts$/.test(file));
    expect(findIn(generic, (source) => wordsOf(source).filter((word) => ofOneKind.test(word)))).toEqual([]);
  });
});

test("a command to copy quotes what it is given: names and addresses may be anybody's texts", () => {
  const unquoted = /(?:\\`(?:pulumi|npm)\b[^`\n]*|[A-Z]\}?=)\$\{(?!(?:shellWord|quoted)\()[^}]*\}/g;
  // A key of a table of ours.
  expect(findIn(sources, ({ text }) => text.match(unquoted) ?? [])).toEqual([
    expect.stringMatching(/^provider\/domain\/config\/config\.ts: .*dbcloud:\$\{key\}$/),
    expect.stringMatching(/^provider\/domain\/config\/remedies\.ts: .*dbcloud:\$\{key\}$/),
  ]);
});

describe("what is never written", () => {
  const everywhere = [...sources, ...["examples", "test", "scripts", "bench"].flatMap(sourcesIn)];
  test.each<[string, RegExp]>([
    ["a cast to any", /\bas any\b|<any>/],
    ["a cast through unknown", /\bas unknown as\b/],
    ["a muted compiler", /@ts-(?:ignore|nocheck|expect-error)/],
    ["an open end", new RegExp(`\\b(?:${OPEN_ENDS.join("|")})\\b`)],
    ["a test that does not run", /\b(?:test|describe|it)\.(?:skip|only|todo)\b/],
  ])("%s", (_name, pattern) => {
    const others = everywhere.filter(({ file }) => file !== "test/layers.test.ts");
    expect(findIn(others, ({ text }) => text.match(pattern) ?? [])).toEqual([]);
  });
});
