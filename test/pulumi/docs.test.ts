// What the docs of each input promise is what the planner does: the same phrases, the same calls.

import { readFileSync } from "node:fs";
import path from "node:path";
import * as ts from "typescript";
import { describe, expect, test } from "vitest";
import type { Field } from "../../provider/domain/fields";
import type { Kind } from "../../provider/domain/kinds";
import { peeringFields } from "../../provider/kinds/peering/inputs";
import { readReplicaSetFields } from "../../provider/kinds/readReplicaSet/inputs";
import { serviceFields } from "../../provider/kinds/service/inputs";
import { vpcFields } from "../../provider/kinds/vpc/inputs";
import { peering } from "../../provider/kinds/peering/definition";
import { readReplicaSetPlanner } from "../../provider/kinds/readReplicaSet/plan";
import { servicePlanner } from "../../provider/kinds/service/plan";
import { vpcPlanner } from "../../provider/kinds/vpc/plan";

const phrases: Record<Exclude<Field["change"], "inPlace">, string> = {
  replaces: "A change replaces the object.",
  fixed: "Cannot change.",
  lifecycle: "Lifecycle input: a change to it makes no API call.",
};

/** Two values of every input that changes in place. */
const samples: Readonly<Record<string, readonly [before: unknown, after: unknown]>> = {
  name: ["a", "b"],
  cpuMillis: [500, 1000],
  memoryGbs: [2, 4],
  environment: ["DEV", "PROD"],
  haReplicas: [
    { replicaCount: 0, syncReplicaCount: 0 },
    { replicaCount: 2, syncReplicaCount: 1 },
  ],
  vpcId: ["1", "2"],
  poolerEnabled: [false, true],
  password: ["old", "new"],
  paused: [false, true],
};
const [before, after] = [0, 1].map((at) =>
  Object.fromEntries(Object.entries(samples).map(([name, both]) => [name, both[at]])),
) as [object, object];

interface Documented {
  fields: Readonly<Record<string, Field>>;
  file: string;
  /** Given all properties, it looks at its own. */
  plan: (wanted: object, live: object) => { steps: readonly { operation: string }[] };
}

/** A kind whose docs nobody reads does not compile. */
const resources: Readonly<Record<Capitalize<Kind>, Documented>> = {
  Service: {
    fields: serviceFields,
    file: "kinds/service/args.class.ts",
    plan: (wanted, live) => servicePlanner.plan(wanted, live),
  },
  Vpc: { fields: vpcFields, file: "kinds/vpc/class.ts", plan: (wanted, live) => vpcPlanner.plan(wanted, live) },
  Peering: {
    fields: peeringFields,
    file: "kinds/peering/class.ts",
    plan: (wanted, live) => peering.plan(wanted, live),
  },
  ReadReplicaSet: {
    fields: readReplicaSetFields,
    file: "kinds/readReplicaSet/class.ts",
    plan: (wanted, live) => readReplicaSetPlanner.plan(wanted, live),
  },
};

describe.each(Object.entries(resources))("%s", (name, { fields, file, plan }) => {
  const docs = new Map([...docsOf(file, `${name}Args`), ...docsOf("pulumi/lifecycleArgs.ts", "LifecycleArgs")]);

  test.each(Object.entries(fields))("says what a change of %s does", (property, { change, required }) => {
    const text = docs.get(property) ?? "";
    const said = Object.entries(phrases).filter(([, phrase]) => text.includes(phrase));
    expect(said.map(([kind]) => kind)).toEqual(change === "inPlace" ? [] : [change]);
    const [, calls] = /Changed in place by ((?:`\w+`(?: and )?)+)/.exec(text) ?? [];
    expect(calls?.match(/\w+(?=`)/g)?.toSorted() ?? []).toEqual(change === "inPlace" ? callsOf(plan, property) : []);
    expect(text).toMatch(required ? /Required\./ : /Default: /);
  });
});

/** The calls that a change of this one property takes, there and back. */
function callsOf(plan: Documented["plan"], property: string): string[] {
  const companions = ["cpuMillis", "memoryGbs"].includes(property) ? ["cpuMillis", "memoryGbs"] : [property];
  const only = (values: object): object =>
    Object.fromEntries(Object.entries(values).filter(([key]) => companions.includes(key)));
  const there = plan(only(after), before);
  const back = plan(only(before), { ...after, ...(property === "paused" ? {} : { paused: false }) });
  return [...new Set([...there.steps, ...back.steps].map(({ operation }) => operation))].toSorted();
}

function docsOf(file: string, interfaceName: string): Map<string, string> {
  const full = path.resolve(__dirname, "../../provider", file);
  const source = ts.createSourceFile(full, readFileSync(full, "utf8"), ts.ScriptTarget.ES2023, true);
  const members = source.statements
    .filter((node) => ts.isInterfaceDeclaration(node))
    .filter(({ name }) => name.text === interfaceName)
    .flatMap((node) => [...node.members]);
  return new Map(members.map((member) => [member.name?.getText() ?? "", commentOf(member)]));
}

function commentOf(node: ts.Node): string {
  const comments = ts.getJSDocCommentsAndTags(node).map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? "");
  return comments.join(" ").replaceAll(/\s+/g, " ");
}
