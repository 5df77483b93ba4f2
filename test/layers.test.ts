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
  "provider/lifecycle": ["provider/domain", "provider/api", "provider/plan"],
  "provider/host": ["provider/domain", "provider/api", "provider/plan", "provider/lifecycle", "@pulumi/pulumi", "node"],
  "provider/pulumi": ["provider/host", "provider/lifecycle", "provider/domain", "@pulumi/pulumi", "node"],
  "provider/client": ["provider/domain", "provider/api"],
  cli: ["provider/domain", "provider/api", "provider/lifecycle", "provider/pulumi", "node"],
  emulator: ["zod", "node"],
  testing: ["emulator", "provider/domain", "@pulumi/pulumi", "node"],
};

/** Spelled apart, so that a search for them finds only real ones. */
const OPEN_ENDS = ["TO-DO", "FIX-ME", "XX-X", "HA-CK"].map((word) => word.replace("-", ""));
const sources = ["provider", "cli", "emulator", "testing"].flatMap(sourcesIn);

/** These files and all that is loaded with them. */
function loadedFrom(files: readonly string[]): Set<string> {
  const seen = new Set<string>();
  const visit = (file: string): void => {
    const source = sources.find((one) => one.file === file);
    if (source === undefined || seen.has(file)) return;
    seen.add(file);
    for (const target of loadedAtOnce(source)) visit(target);
  };
  for (const file of files) visit(file);
  return seen;
}

describe("imports go down only", () => {
  test.each(Object.entries(MAY_LOAD))("%s", (layer, allowed) => {
    const mine = sources.filter((source) => source.layer === layer);
    expect(mine.length).toBeGreaterThan(0);
    const wrong = mine.flatMap((source) =>
      importsOf(source)
        .filter(({ what, isType }) => !isType && what !== layer && !allowed.includes(what))
        .map(({ what }) => `${source.file} loads ${what}`),
    );
    expect(wrong).toEqual([]);
  });

  test("types may come from below too, never from above", () => {
    const layers = ["provider/domain", "provider/api", "provider/plan", "provider/lifecycle", "provider/host"];
    const wrong = sources
      .filter((source) => layers.includes(source.layer))
      .flatMap((source) =>
        importsOf(source)
          .filter(({ what }) => layers.indexOf(what) > layers.indexOf(source.layer))
          .map(({ what }) => `${source.file} looks up to ${what}`),
      );
    expect(wrong).toEqual([]);
  });

  test("the emulator is sealed; only test stacks, above both, bring it and the provider together", () => {
    const below = sources.filter(({ layer }) => layer !== "testing");
    const wrong = below.flatMap((source) =>
      importsOf(source)
        .filter(({ what }) => (source.layer === "emulator") !== (what === "emulator") && isOurs(what))
        .filter(({ what }) => source.layer === "emulator" || what === "emulator")
        .map(({ what }) => `${source.file} knows ${what}`),
    );
    expect(wrong).toEqual([]);
  });

  test("nothing imports the command, not even its types", () => {
    const found = sources
      .filter((source) => source.layer !== "cli" && importsOf(source).some(({ what }) => what === "cli"))
      .map(({ file }) => file);
    expect(found).toEqual([]);
  });

  test("the command loads no Pulumi SDK, which takes longer than its work", () => {
    const seen = loadedFrom(sources.filter(({ layer }) => layer === "cli").map(({ file }) => file));
    const loaders = sources.filter(
      (source) =>
        seen.has(source.file) && importsOf(source).some(({ what, isType }) => what === "@pulumi/pulumi" && !isType),
    );
    expect(seen.size).toBeGreaterThan(50);
    expect(loaders.map(({ file }) => file)).toEqual([]);
  });

  test("programs load neither undici nor zod, nor anything that does; what look-ups need is loaded when they are used", () => {
    const seen = loadedFrom(["provider/index.ts"]);
    const packages = [...seen].flatMap((file) => {
      const source = sources.find((one) => one.file === file);
      return source === undefined ? [] : importsOf(source).filter(({ what, isType }) => !isType && !isOurs(what));
    });
    expect(seen.size).toBeGreaterThan(5);
    expect([...seen].filter((file) => !/^provider\/(?:index|pulumi\/.*)\.ts$/.test(file))).toEqual([]);
    expect([...new Set(packages.map(({ what }) => what))].filter((what) => what !== "node")).toEqual([
      "@pulumi/pulumi",
    ]);
  });
});

/** Files of the lifecycle that are read, one after the other, to follow one call to its end, without and with types. */
test.each([
  [6, "that load each other", loadedAtOnce],
  [7, "that import each other, types included", importedFiles],
] as const)("no chain of more than %i files of the lifecycle %s", (most, _how, targetsOf) => {
  const lifecycle = sources.filter(({ layer }) => layer === "provider/lifecycle");
  const chain = longestChain(new Map(lifecycle.map((source) => [source.file, targetsOf(source)])));
  expect(chain.length).toBeGreaterThan(4);
  expect(chain.slice(most)).toEqual([]);
});

describe("what stays on one layer", () => {
  test("wire names are in api and emulator alone", () => {
    const elsewhere = sources.filter(({ layer }) => layer !== "provider/api" && layer !== "emulator");
    const found = elsewhere.flatMap((source) =>
      wordsOf(source)
        .filter(isWireName)
        .map((word) => `${source.file}: ${word}`),
    );
    expect(found).toEqual([]);
  });

  test("each path template is there once, with its method", () => {
    const rows = sources
      .filter(({ layer }) => layer === "provider/api")
      .flatMap(({ text }) =>
        [...text.matchAll(/method: "(\w+)",\s*path: "([^"]+)"/g)].map(([, method, at]) => `${method} ${at}`),
      );
    expect(rows.length).toBeGreaterThan(25);
    expect(new Set(rows).size).toBe(rows.length);
    const others = sources.filter(({ layer }) => layer !== "provider/api" && layer !== "emulator");
    expect(others.filter(({ text }) => text.includes('"/projects')).map(({ file }) => file)).toEqual([]);
  });

  test("only the transport speaks HTTP", () => {
    const speakers = sources.filter((source) =>
      importsOf(source).some(({ what, isType }) => what === "undici" && !isType),
    );
    expect(speakers.map(({ file }) => file)).toEqual(["provider/api/http/transport.ts"]);
    // By its public entry: a path inside the package would tie users to one version, security updates included.
    expect(sources.filter(({ text }) => text.includes('"undici/')).map(({ file }) => file)).toEqual([]);
    const fetchers = sources.filter((source) => source.layer !== "emulator" && usesName(source, "fetch"));
    expect(fetchers.map(({ file }) => file)).toEqual([]);
  });

  test("the time is asked of one clock for how long, and of one for the time of day", () => {
    const askers = (name: RegExp): string[] =>
      sources
        .filter(({ layer }) => layer.startsWith("provider/") || layer === "cli")
        .filter((source) => name.test(withoutComments(source)))
        .map(({ file }) => file);
    expect(askers(/\bperformance\b|\bhrtime\b/)).toEqual(["provider/api/clock.ts"]);
    expect(askers(/\bDate\.now\b|\bnew Date\(\)|\bDate\(\)/)).toEqual(["provider/api/wallClock.ts"]);
    const timers = askers(/\bsetTimeout\b|\bsetInterval\b/);
    expect(timers.filter((file) => /^provider\/(?:domain|plan|lifecycle)\//.test(file))).toEqual([]);
  });

  test("only one place runs the steps of a plan", () => {
    const senders = sources.filter(
      ({ layer, text }) => layer === "provider/lifecycle" && /\bresource\.send\(/.test(text),
    );
    expect(senders.map(({ file }) => file)).toEqual(["provider/lifecycle/converge/converge.ts"]);
  });

  test("the planners are pure", () => {
    const forbidden =
      /\bawait\b|\basync\b|\bPromise\b|\bDate\b|\bfetch\b|\bsetTimeout\b|\bprocess\b|\bMath\.random\b|[cC]lock\b/;
    const impure = sources
      .filter(({ layer }) => layer === "provider/plan")
      .filter((source) => forbidden.test(withoutComments(source)))
      .map(({ file }) => file);
    expect(impure).toEqual([]);
  });

  test("no state in a module of the lifecycle or the host: an instance has it", () => {
    const holders = sources
      .filter(({ layer }) => layer === "provider/lifecycle" || layer === "provider/host")
      .filter(({ text }) => /^(?:export )?(?:let|var) /m.test(text))
      .map(({ file }) => file);
    expect(holders).toEqual([]);
  });

  test("the lifecycle knows no word of Pulumi's beside the commands in its messages, and hidden keys in the state alone", () => {
    const isForeign = (word: string): boolean => /^(?:urn|pulumi)|(?:Urn|URN|Pulumi)/.test(word) && !/\s/.test(word);
    const found = sources
      .filter(({ layer }) => layer === "provider/lifecycle")
      .flatMap((source) => {
        const isStateFile = source.file.startsWith("provider/lifecycle/state/");
        return wordsOf(source)
          .filter((word) => isForeign(word) || (word.startsWith("__") && !isStateFile) || word === "__provider")
          .map((word) => `${source.file}: ${word}`);
      });
    expect(found).toEqual([]);
  });

  test("what is true of one kind of resource stands in its table: generic code names no id, input or operation of it", () => {
    const ofOneKind =
      /^(?:vpcId|serviceId|peeringId|replicaSetId|poolerEnabled|haReplicas|paused|environment|PROD|password|initialPassword|deletionProtection|(?:delete|create|fork)(?:Service|Vpc|Peering|ReplicaSet))$/;
    const found = sources
      .filter(({ file }) => /^provider\/lifecycle\/(?:converge|create|handlers|state)\//.test(file))
      // Look-ups are for one kind each, and protection stands in one file whatever kind has it.
      .filter(({ file }) => !/\/(?:lookups|protection)\.ts$/.test(file))
      .flatMap((source) =>
        wordsOf(source)
          .filter((word) => ofOneKind.test(word))
          .map((word) => `${source.file}: ${word}`),
      );
    expect(found).toEqual([]);
  });
});

test("a command to copy quotes what it is given: names and addresses may be anybody's texts", () => {
  const unquoted = /(?:\\`(?:pulumi|npm)\b[^`\n]*|[A-Z]\}?=)\$\{(?!(?:shellWord|quoted|importWord)\()[^}]*\}/g;
  const found = sources.flatMap(({ file, text }) => [...text.matchAll(unquoted)].map(([part]) => `${file}: ${part}`));
  // A key of a table of ours.
  expect(found).toEqual([expect.stringMatching(/^provider\/domain\/config\/config\.ts: .*dbcloud:\$\{key\}$/)]);
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
    const found = everywhere
      .filter(({ file }) => file !== "test/layers.test.ts")
      .filter(({ text }) => pattern.test(text));
    expect(found.map(({ file }) => file)).toEqual([]);
  });
});
