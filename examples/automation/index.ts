// A database per pull request, with Pulumi's Automation API: `node index.ts up 42` makes or updates it and prints its
// id, `node index.ts destroy 42` takes it away. Node runs this file as it is.
import { type EngineEvent, LocalWorkspace, type Stack } from "@pulumi/pulumi/automation/index.js";
import { Service } from "pulumi-dbcloud";

const [action, number] = process.argv.slice(2);
if (number === undefined || (action !== "up" && action !== "destroy")) {
  throw new Error("give `up` or `destroy`, and the number of the pull request");
}

// What the stack is to hold. Inline: there is no other file.
async function program(): Promise<Record<string, unknown>> {
  const database = new Service("review", {
    name: `review-${number}`,
    regionCode: "us-east-1",
    cpuMillis: 500,
    memoryGbs: 2,
    environment: "DEV",
  });
  return { serviceId: database.serviceId, url: database.connectionString() };
}

async function openStack(): Promise<Stack> {
  const project = "reviews";
  return LocalWorkspace.createOrSelectStack(
    { stackName: `pr-${number}`, projectName: project, program },
    // `main` is where Pulumi looks for the packages: without it an inline program does not find this one.
    { projectSettings: { name: project, runtime: "nodejs", main: import.meta.dirname } },
  );
}

/** The lines of the provider: the start of each call, each status, the end with its time; and warnings. */
function onEvent({ diagnosticEvent }: EngineEvent): void {
  if (diagnosticEvent === undefined) return;
  const isProgress = diagnosticEvent.ephemeral === true && diagnosticEvent.severity === "info";
  if (!isProgress && diagnosticEvent.severity !== "warning") return;
  const name = diagnosticEvent.urn?.split("::").at(-1) ?? "";
  process.stderr.write(`${name}: ${diagnosticEvent.message}`);
}

async function main(): Promise<void> {
  const stack = await openStack();
  if (action === "up") {
    const { outputs } = await stack.up({ onEvent });
    process.stdout.write(`${String(outputs["serviceId"]?.value)}\n`);
  } else {
    await stack.destroy({ onEvent });
    await stack.workspace.removeStack(stack.name);
  }
}

// Pulumi: with an inline program in this process an error that nobody catches does not become its exit code.
try {
  await main();
} catch (error) {
  process.stderr.write(`${String(error)}\n`);
  process.exitCode = 1;
}
