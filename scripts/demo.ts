// `npm start`: a shop's databases from preview to destroy, with the real Pulumi CLI against an emulated control plane
// on this machine. After each step the demo checks the server itself: exit code 0 means that everything announced has
// happened.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { isDeepStrictEqual } from "node:util";
import { type Databases, openDatabases, printWithout } from "./demo/databases.ts";
import { type DemoEnvironment, openEnvironment } from "./demo/environment.ts";
import { checked, printHowToGoOn, printRequests, step } from "./demo/output.ts";
import { type Counts, createServerCheck, DemoError, type ServerCheck } from "./demo/serverCheck.ts";
import { print, readOptions } from "./options.ts";

const usage = `npm start -- [options]
  --keep     stop before destroy, and keep emulator and stack until Ctrl-C
  --quick    changes on the server take milliseconds instead of half a second
  --verbose  Pulumi's own output, whole`;

const startedMs = Date.now();
let isInterrupted = false;
process.on("SIGINT", () => {
  isInterrupted = true; // Pulumi gets the signal too and ends by itself; then this script does.
});

interface Demo {
  readonly environment: DemoEnvironment;
  readonly server: ServerCheck;
  /** Undefined if no databases run behind the endpoints. */
  readonly databases: Databases | undefined;
}

async function runSteps(demo: Demo, keep: boolean): Promise<void> {
  await preview(demo);
  await create(demo);
  await fork(demo);
  await showDrift(demo);
  await repair(demo);
  await update(demo);
  if (keep) return;
  await refuseDestroy(demo);
  await destroy(demo);
}

async function preview({ environment, server }: Demo): Promise<void> {
  step("Preview", "Nothing exists yet. A preview shows what will be created. It sends no request and needs no key.");
  await succeed(environment, ["preview"]);
  check(Object.keys(server.everything()).length === 0, "the server received no request");
}

async function create({ environment, server, databases }: Demo): Promise<void> {
  step("Create", "VPCs, a peering, the orders with a standby and a pooler, and read replicas.");
  await succeed(environment, ["up", "--yes", "--skip-preview"]);
  checkCalls(server, {
    createVpc: 2,
    createPeering: 1,
    createService: 1,
    attachToVPC: 1,
    enablePooler: 1,
    createReplicaSet: 1,
    setReplicaEnvironment: 1,
  });
  await checkDeclared({ environment, server });
  if (databases === undefined) printWithout(environment);
  else await databases.fill();
}

async function fork({ environment, server, databases }: Demo): Promise<void> {
  step("Fork", "A copy of the orders, with all that is in them, to rehearse on. It is stopped until it is needed.");
  await succeed(environment, ["up", "--yes", "--skip-preview", "--config", "rehearsal=true"]);
  checkCalls(server, { forkService: 1, stop: 1 });
  await checkDeclared({ environment, server });
  await databases?.writeOn();
}

async function showDrift({ environment, server }: Demo): Promise<void> {
  step("Drift", "An operator changes things in the vendor's console:");
  changeByHand(environment.emulator);
  print(
    "  - the shop's VPC is renamed to do-not-touch",
    "  - the orders are resized to 500 millicores and 2 GB, lose standby and pooler, and leave the VPC",
    "  - the rehearsal, which was paused, is started",
    "  - the read replicas are resized to 250 millicores and 1 GB",
    "",
    "A refresh shows the differences by property, and warns of addresses that moved with them.",
    "It changes nothing on the server.",
    "",
  );
  await succeed(environment, ["refresh", "--yes", "--skip-preview", "--diff"]);
  checkCalls(server, {});
  await checkDeclared({ environment, server }, "the state is now equal to the server");
}

function changeByHand(emulator: DemoEnvironment["emulator"]): void {
  const { mutate } = emulator;
  const { vpcs, services, replicaSets } = emulator.state();
  const off = { replicaCount: 0, poolerEnabled: false, vpcId: undefined };
  const shop = vpcs.find(({ name }) => name === "shop-normal");
  mutate.vpc(shop?.id ?? "", { name: "do-not-touch" });
  for (const { id, name } of services)
    mutate.service(id, name === "orders-normal" ? { cpuMillis: 500, memoryGbs: 2, ...off } : { paused: false });
  mutate.replicaSet(replicaSets[0]?.id ?? "", { cpuMillis: 250, memoryGbs: 1 });
}

async function repair({ environment, server }: Demo): Promise<void> {
  step("Repair", "The program has not changed. One `up` brings everything back to what it says.");
  await succeed(environment, ["up", "--yes", "--skip-preview"]);
  checkCalls(server, {
    renameVpc: 1,
    resize: 1,
    setHA: 1,
    attachToVPC: 1,
    enablePooler: 1,
    stop: 1,
    resizeReplicaSet: 1,
  });
  await checkDeclared({ environment, server });
  await succeed(environment, ["preview", "--expect-no-changes"]);
}

async function update({ environment, server, databases }: Demo): Promise<void> {
  const before = ids(environment);
  const password = randomBytes(18).toString("base64url");
  step("Update", "Every property that can change does. All changes are made in place.");
  await succeed(environment, ["config", "set", "profile", "peak"]);
  await succeed(environment, ["config", "set", "--secret", "password"], { input: password });
  await succeed(environment, ["up", "--yes"]);
  checkCalls(server, {
    renameVpc: 1,
    renameService: 1,
    setEnvironment: 1,
    resize: 1,
    setHA: 1,
    detachFromVPC: 1,
    attachToVPC: 1,
    updatePassword: 1,
    start: 1,
    enablePooler: 1,
    resizeReplicaSet: 1,
    setReplicaEnvironment: 1,
    enableReplicaPooler: 1,
  });
  await checkDeclared({ environment, server });
  check(isDeepStrictEqual(ids(environment), before), "no object was replaced");
  const orders = environment.emulator.state().services.find(({ name }) => name === "orders-peak");
  check(orders?.password === password, "the new password is set on the server");
  check(!JSON.stringify(await environment.resources()).includes(password), "the state does not hold it in plain text");
  await databases?.lookAgain();
}

async function refuseDestroy({ environment, server }: Demo): Promise<void> {
  step("Refused destroy", "The orders are tagged PROD now. A PROD service is protected by default.");
  const code = await environment.pulumi(["destroy", "--yes"]);
  check(code !== 0, "Pulumi refused before any change");
  checkCalls(server, {});
}

async function destroy({ environment, server }: Demo): Promise<void> {
  step("Destroy", "`deletionProtection: false` takes the protection away. This update sends no call.");
  await succeed(environment, ["config", "set", "deletionProtection", "false"]);
  await succeed(environment, ["up", "--yes", "--skip-preview"]);
  checkCalls(server, {});
  await succeed(environment, ["destroy", "--yes", "--skip-preview"]);
  checkCalls(server, { deleteReplicaSet: 1, deleteService: 2, deletePeering: 1, deleteVpc: 2 });
  check(ids(environment).flat().length === 0, "nothing is left on the server");
}

async function succeed(environment: DemoEnvironment, args: string[], options?: { input: string }): Promise<void> {
  const code = await environment.pulumi(args, options);
  if (isInterrupted) throw new DemoError("It was interrupted.");
  if (code !== 0)
    throw new DemoError(
      `\`pulumi ${args.join(" ")}\` ended with exit code ${code}; \`npm start -- --verbose\` shows all it prints.`,
    );
}

function checkCalls(server: ServerCheck, expected: Counts): void {
  const made = server.changes();
  if (!isDeepStrictEqual(made, expected)) {
    throw new DemoError(unexpected(`these calls change something: ${inWords(expected)}`, [inWords(made)]));
  }
  const isNone = Object.keys(expected).length === 0;
  checked(isNone ? "no call changed anything" : `exactly these calls changed something: ${inWords(expected)}`);
}

function inWords(counts: Counts): string {
  const calls = Object.entries(counts).map(([operation, count]) =>
    count === 1 ? operation : `${operation} ×${count}`,
  );
  return calls.join(", ") || "none";
}

async function checkDeclared(
  { environment, server }: Pick<Demo, "environment" | "server">,
  sentence = "every object on the server is as the program says",
): Promise<void> {
  const differences = server.differences(await environment.resources());
  check(differences.length === 0, sentence, differences);
}

function ids({ emulator }: DemoEnvironment): string[][] {
  const { vpcs, peerings, services, replicaSets } = emulator.state();
  return [vpcs, peerings, services, replicaSets].map((objects) => objects.map(({ id }) => id));
}

function check(isTrue: boolean, sentence: string, seen: readonly string[] = []): void {
  if (!isTrue) throw new DemoError(unexpected(sentence, seen));
  checked(sentence);
}

function unexpected(sentence: string, seen: readonly string[]): string {
  const lines = [`It expected: ${sentence}.`, ...seen.map((each) => `It saw: ${each}`)];
  return [...lines, "Please report this with the lines above."].join("\n  ");
}

async function main(): Promise<number> {
  const flag = { type: "boolean", default: false } as const;
  const values = readOptions({ keep: flag, quick: flag, verbose: flag }, usage);
  const environment = await openEnvironment(values);
  try {
    const databases = openDatabases(environment, check);
    await runSteps({ environment, server: createServerCheck(environment.emulator), databases }, values.keep);
    printRequests(createServerCheck(environment.emulator).everything(), Date.now() - startedMs);
    if (!values.keep) return 0;
    printHowToGoOn(environment.settings, environment.emulator.consoleUrl, await databases?.url());
    // A signal to a whole process group arrives twice, and the second one must not end the clean-up.
    process.on("SIGTERM", () => undefined);
    await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
    return 0;
  } catch (error) {
    if (!(error instanceof DemoError)) throw error;
    process.stderr.write(`\nThe demo stops. ${error.message}\n`);
    return isInterrupted ? 130 : 1;
  } finally {
    await environment.close();
  }
}

process.exitCode = await main();
