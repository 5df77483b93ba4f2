// Performs the steps of a walk: edits programs and states, imports, plays the vendor's console.

import { readFileSync } from "node:fs";
import path from "node:path";
import type { Values } from "../../../provider/domain/values/value";
import { fail, recover } from "../../invariants/operator/acts";
import { deleteByHand } from "../../invariants/judge/truth";
import { ownResources } from "../../support/cli/project";
import { createRandom } from "../../support/random";
import { command } from "./command";
import { actingIn } from "./faults";
import { news } from "./report";
import { count, lookAt, type Machine, resolved, resourceOf } from "./machine";
import type { StackName, Step } from "./model";
import { namesOf } from "./tally";

/** Performs one step. The judge has what was wrong with it. */
export async function perform(machine: Machine, step: Step): Promise<void> {
  const { programs } = machine;
  for (const name of namesOf(step, "stack" in step ? programs[step.stack] : [])) count(machine, name);
  switch (step.do) {
    case "program":
      programs[step.stack] = step.declared;
      return;
    case "console":
      return operate(machine, step);
    case "state":
      return editState(machine, step);
    case "import":
      return importObject(machine, step.stack, step.logical);
    default:
      return command(machine, step);
  }
}

function operate(machine: Machine, { what, object }: Step & { do: "console" }): void {
  const { emulator } = machine.world;
  const { mutate } = emulator;
  if (what === "create") {
    const { id } = mutate.createService({ name: object, regionCode: "us-east-1", cpuMillis: 500, memoryGbs: 2 });
    machine.ids.set(`@console/${object}`, id);
    machine.judge.left.add(id);
    return;
  }
  machine.isStale = true;
  const id = resolved(machine, object);
  const kind = lookAt(machine).objects.get(id)?.kind;
  if (kind === undefined) return;
  if (what === "delete") {
    machine.judge.deletedByHand.add(id);
    deleteByHand(emulator, { kind, id });
  } else if (what === "fail" || what === "heal") {
    const acting = { ...actingIn(machine, "dev"), ours: () => [{ id, kind }] };
    (what === "fail" ? fail : recover)(acting, createRandom(0));
  } else mutate.service(id, { environment: what === "tag" ? "PROD" : "DEV" });
}

/** An edit of a state calls nothing; what it takes out of the state is what the user said. */
async function editState(machine: Machine, { stack, what, logical }: Step & { do: "state" }): Promise<void> {
  const urn = resourceOf(machine, stack, logical)?.urn;
  if (urn === undefined) return;
  const { judge } = machine;
  const before = lookAt(machine);
  const other = stack === "dev" ? "other" : "dev";
  const where = what === "move" ? ["--source", stack, "--dest", other] : ["--stack", stack];
  await pulumi(machine, stack, ["state", what, ...where, "--yes", urn]);
  const after = lookAt(machine);
  const left = after.entries.map(({ id }) => id);
  for (const { id } of before.entries) if (!left.includes(id)) judge.left.add(id);
  for (const { operation, id } of news(before, after))
    judge.blame("unasked delete", `state ${what} called ${operation} of ${id}`);
}

async function pulumi(
  { world, stacks, lines, counts }: Machine,
  stack: StackName,
  args: readonly string[],
): Promise<number> {
  counts["commands"] = (counts["commands"] ?? 0) + 1;
  const { code, text } = await world.pulumi([...args, "--non-interactive"], stacks[stack].workDir);
  lines.push(`pulumi ${args.join(" ")} → ${code}`, ...(code === 0 ? [] : [text.trimEnd()]));
  return code;
}

/** As the docs say it: the document, the import, the program that declares it, and the refresh. */
async function importObject(machine: Machine, stack: StackName, name: string): Promise<void> {
  const { form, world, stacks, programs, judge } = machine;
  const id = resolved(machine, `@console/${name}`);
  if (form === "native") return importByEngine(machine, stack, name, id);
  const file = path.join(stacks[stack].workDir, `${name}.json`);
  const written = await world.command(["import", `service:${id}`, "--out", file], stacks[stack].workDir);
  if (written.code !== 0) return judge.blame("untrue", `no import document: ${written.text}`);
  const { resources } = JSON.parse(readFileSync(file, "utf8")) as { resources: { name: string; inputs: Values }[] };
  for (const { name: logical, inputs } of resources) {
    const { __provider: _, ...args } = inputs;
    programs[stack] = [...programs[stack], { logical, kind: "service", args }];
  }
  const how = ["--file", file, "--generate-code=false", "--protect=false", "--yes"];
  const code = await pulumi(machine, stack, ["import", "--stack", stack, ...how]);
  if (code !== 0) return judge.blame("untrue", "the import fails");
  return perform(machine, { do: "refresh", stack, flags: [] });
}

/** The engine asks the plugin; the program is what the state has then. */
async function importByEngine(machine: Machine, stack: StackName, name: string, id: string): Promise<void> {
  const { stacks, programs, judge } = machine;
  const how = ["dbcloud:index:Service", name, id, "--generate-code=false", "--protect=false", "--yes"];
  const code = await pulumi(machine, stack, ["import", "--stack", stack, ...how]);
  if (code !== 0) return judge.blame("untrue", "the import fails");
  const { inputs: args = {} } = ownResources(stacks[stack].state())[name] ?? {};
  programs[stack] = [...programs[stack], { logical: name, kind: "service", args }];
}
