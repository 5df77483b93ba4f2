// One call of the real CLI with an inline program: as the Automation API does it, but the process can be killed, and
// every flag can be given.

import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { Server, ServerCredentials, type ServiceDefinition, type UntypedServiceImplementation } from "@grpc/grpc-js";
import * as automation from "@pulumi/pulumi/automation/server";
import * as language from "@pulumi/pulumi/proto/language_grpc_pb";
import type { CliRun, Environment } from "../../support/cliProcess";
import type { Project } from "../../support/cli/project";

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
}

interface Call {
  at: Project;
  args: readonly string[];
  program: () => Promise<void>;
  environment: Environment;
  /** Gets the running process, which is to be killed. */
  onStart?: ((run: CliRun) => void) | undefined;
}

const { LanguageServer } = automation as unknown as { LanguageServer: new (program: unknown) => object };
const { LanguageRuntimeService } = language as unknown as { LanguageRuntimeService: ServiceDefinition };

let calls = 0;

export async function callCli({ at, args, program, environment, onStart }: Call): Promise<Ran> {
  const server = new Server();
  server.addService(LanguageRuntimeService, new LanguageServer(program) as UntypedServiceImplementation);
  const port = await listen(server);
  const log = path.join(at.folder, `events-${(calls += 1)}.json`);
  const more = ["--non-interactive", `--client=127.0.0.1:${port}`, "--exec-kind", "auto.inline", "--event-log", log];
  const all = { PULUMI_DEBUG_COMMANDS: "true", ...environment };
  try {
    const { code, text } = await (onStart === undefined
      ? at.pulumi([...args, ...more], all)
      : killable(at.start([...args, ...more].join(" "), all), onStart));
    return { code, text, ops: opsIn(log) };
  } finally {
    server.forceShutdown();
    rmSync(log, { force: true });
  }
}

async function killable(run: CliRun, onStart: (run: CliRun) => void): Promise<{ code: number; text: string }> {
  onStart(run);
  const outcome = await run.outcome;
  run.sweep();
  return outcome;
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
      if (error === null) resolve(port);
      else reject(error);
    });
  });
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
    if (metadata === undefined || SILENT.has(metadata.op) || !metadata.type.includes("dynamic/dbcloud:")) return [];
    return [{ op: metadata.op, urn: metadata.urn, id: metadata.old?.id }];
  });
}
