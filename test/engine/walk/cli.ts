// One call of the real CLI with an inline program: as the Automation API does it, but the process can be killed, and
// every flag can be given.

import { classIn } from "../../../provider/pulumi/stateNames";
import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import type { CliRun, Environment } from "../../support/cliProcess";
import { type Project } from "../../support/cli/project";
import { servingProgram } from "../../support/serveProgram";

/** An operation on an object, as the engine announces it. */
export interface Op {
  op: string;
  urn: string;
  id: string | undefined;
}

export interface Ran {
  code: number;
  text: string;
  /** What the engine announced for this package's resources, `same`, reads and refreshes aside. */
  ops: Op[];
  /** The command was ended, because it did not end by itself. */
  isHung?: boolean;
}

interface Call {
  at: Project;
  args: readonly string[];
  program: () => Promise<void>;
  environment: Environment;
  /** Gets the running process, which is to be killed. */
  onStart?: ((run: CliRun) => void) | undefined;
}

/** What takes this long on a loaded machine never ends. */
const LONGEST_MS = 180_000;

let calls = 0;

export async function callCli({ at, args, program, environment, onStart }: Call): Promise<Ran> {
  const log = path.join(at.folder, `events-${(calls += 1)}.json`);
  const all = { PULUMI_DEBUG_COMMANDS: "true", ...environment };
  try {
    return await servingProgram(program, async (client) => {
      const words = [...args, "--non-interactive", client, "--exec-kind", "auto.inline", "--event-log", log];
      const run = at.start(words.join(" "), all);
      onStart?.(run);
      const limit = { isPassed: false };
      const timer = setTimeout(() => {
        limit.isPassed = true;
        run.kill("everything");
      }, LONGEST_MS);
      const { code, text } = await run.outcome;
      clearTimeout(timer);
      run.sweep();
      return { code, text, ops: opsIn(log), isHung: limit.isPassed };
    });
  } finally {
    rmSync(log, { force: true });
  }
}

const SILENT = new Set(["same", "read", "refresh", "discard", "read-replacement"]);

interface Event {
  resourcePreEvent?: { metadata: { op: string; urn: string; type: string; old?: { id?: string } | null } };
}

/** Pulumi: a CLI that is killed leaves half a line. */
function opsIn(log: string): Op[] {
  let lines: string[] = [];
  try {
    lines = readFileSync(log, "utf8")
      .split("\n")
      .filter((line) => line.endsWith("}"));
  } catch {
    return []; // a command that fails early writes none
  }
  return lines.flatMap((line) => {
    const metadata = (JSON.parse(line) as Event).resourcePreEvent?.metadata;
    if (metadata === undefined || SILENT.has(metadata.op) || classIn(metadata.type) === undefined) return [];
    return [{ op: metadata.op, urn: metadata.urn, id: metadata.old?.id }];
  });
}
