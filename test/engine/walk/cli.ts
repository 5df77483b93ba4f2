// One call of the real CLI with an inline program: as the Automation API does it, but the process can be killed, and
// every command and flag can be given.

import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import * as grpc from "@grpc/grpc-js";
import type { PulumiFn } from "@pulumi/pulumi/automation";
import * as language from "@pulumi/pulumi/automation/server";
import { LanguageRuntimeService } from "@pulumi/pulumi/proto/language_grpc_pb";
import { classIn } from "../../../provider/pulumi/stateNames";
import type { CliRun, Environment } from "../../support/cliProcess";
import { type Project } from "../../support/cli/project";

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
  program: PulumiFn;
  environment: Environment;
  /** Gets the running process, which is to be killed. */
  onStart?: ((run: CliRun) => void) | undefined;
}

/** What takes this long on a loaded machine never ends. */
const LONGEST_MS = 180_000;

// Pulumi: these are there, but their types are left out.
const LanguageServer = Reflect.get(language, "LanguageServer") as new (
  program: PulumiFn,
) => grpc.UntypedServiceImplementation;

let calls = 0;

export async function callCli({ at, args, program, environment, onStart }: Call): Promise<Ran> {
  const log = path.join(at.folder, `events-${(calls += 1)}.json`);
  const all = { PULUMI_DEBUG_COMMANDS: "true", ...environment };
  const server = new grpc.Server();
  server.addService(LanguageRuntimeService, new LanguageServer(program));
  const port = await promisify(server.bindAsync.bind(server))("127.0.0.1:0", grpc.ServerCredentials.createInsecure());
  const client = [`--client=127.0.0.1:${port}`, "--exec-kind", "auto.inline"];
  try {
    const run = at.start([...args, "--non-interactive", ...client, "--event-log", log].join(" "), all);
    onStart?.(run);
    const limit = { isPassed: false };
    const timer = setTimeout(() => {
      limit.isPassed = true;
      run.kill("everything");
    }, LONGEST_MS);
    const { code, text } = await run.outcome;
    clearTimeout(timer);
    await run.sweep();
    return { code, text, ops: opsIn(log), isHung: limit.isPassed };
  } finally {
    server.forceShutdown();
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
