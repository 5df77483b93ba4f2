// `npm start`: the life of a shop's databases in acts, with the real Pulumi against an emulated control plane on this
// machine. After each act the demo looks at the server itself: exit code 0 means that all that was announced happened.
// `npm start -- --keep` leaves out the end, and says how to go on by hand; `--quick` does not wait to be watched.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { mischief } from "./demo/mischief.mjs";
import { openStage } from "./demo/stage.mjs";
import { act, say, seen } from "./demo/voice.mjs";
import { FalsePromise, createWitness } from "./demo/witness.mjs";
import { tellHowToGoOn, tellWhatWasSeen } from "./demo/epilogue.mjs";

const startedMs = Date.now();
let isInterrupted = false;
process.on("SIGINT", () => {
  isInterrupted = true; // Pulumi gets it too and ends by itself; then this script does.
});

async function play(stage, { keep }) {
  const scene = { stage, witness: createWitness(stage.emulator) };
  await announce(scene);
  await create(scene);
  await meddle(scene);
  await repair(scene);
  await change(scene);
  if (keep) return;
  await refuse(scene);
  await leave(scene);
}

async function announce({ stage, witness }) {
  act("Preview", "Nothing exists yet. A preview says what would be made; it asks no server and needs no key.");
  await succeed(stage, ["preview"]);
  check(Object.keys(witness.everything()).length === 0, "the server was asked nothing");
}

async function create({ stage, witness }) {
  act("Up", "Networks, a peering, the orders with a standby and a pooler, a fork of them, and read replicas.");
  await succeed(stage, ["up", "--yes", "--skip-preview"]);
  calls(witness, {
    createVpc: 2,
    createPeering: 1,
    createService: 1,
    attachToVPC: 1,
    enablePooler: 1,
    forkService: 1,
    stop: 1,
    createReplicaSet: 1,
    setReplicaEnvironment: 1,
  });
  await asDeclared(stage, witness);
}

async function meddle({ stage, witness }) {
  act("Behind Pulumi's back", "Somebody is in the vendor's console, late at night:");
  for (const line of mischief(stage.emulator)) say(`  - ${line}`);
  say("", "A refresh shows it, property by property, and changes nothing on the server.", "");
  await succeed(stage, ["refresh", "--yes", "--skip-preview", "--diff"]);
  calls(witness, {});
  await asDeclared(stage, witness, "the state now tells the truth about everything that was touched");
}

async function repair({ stage, witness }) {
  act("Repair", "The program has not changed, so one `up` brings everything back.");
  await succeed(stage, ["up", "--yes", "--skip-preview"]);
  calls(witness, {
    renameVpc: 1,
    resize: 1,
    setHA: 1,
    attachToVPC: 1,
    enablePooler: 1,
    stop: 1,
    resizeReplicaSet: 1,
  });
  await asDeclared(stage, witness);
  await succeed(stage, ["preview", "--expect-no-changes"]);
}

async function change({ stage, witness }) {
  const before = ids(stage);
  const password = randomBytes(18).toString("base64url");
  act("The sale is near", "Every property that can change does: all in place, nothing is made anew.");
  await succeed(stage, ["config", "set", "season", "sale"]);
  await succeed(stage, ["config", "set", "--secret", "password"], { input: password });
  await succeed(stage, ["up", "--yes"]);
  calls(witness, {
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
  await asDeclared(stage, witness);
  check(isDeepStrictEqual(ids(stage), before), "every object is still the same one");
  const orders = stage.emulator.state().services.find(({ name }) => name === "orders-sale");
  check(orders?.password === password, "the new password counts");
  check(!JSON.stringify(await stage.resources()).includes(password), "and is nowhere in the state in plain text");
}

async function refuse({ stage, witness }) {
  act("Destroy?", "The orders are tagged PROD by now, and PROD is protected without a word in the program.");
  const code = await stage.pulumi(["destroy", "--yes"]);
  check(code !== 0, "Pulumi refused, before anything was touched");
  calls(witness, {});
}

async function leave({ stage, witness }) {
  act("Destroy", "Somebody has to say so first, and that alone costs no call.");
  await succeed(stage, ["config", "set", "deletionProtection", "false"]);
  await succeed(stage, ["up", "--yes", "--skip-preview"]);
  calls(witness, {});
  await succeed(stage, ["destroy", "--yes", "--skip-preview"]);
  calls(witness, { deleteReplicaSet: 1, deleteService: 2, deletePeering: 1, deleteVpc: 2 });
  const left = Object.values(witness.objects()).reduce((sum, count) => sum + count, 0);
  check(left === 0, "nothing is left on the server");
}

async function succeed(stage, args, options) {
  const code = await stage.pulumi(args, options);
  if (isInterrupted) throw new FalsePromise("interrupted");
  if (code !== 0) throw new FalsePromise(`\`pulumi ${args.join(" ")}\` ended with exit code ${code}`);
}

function calls(witness, expected) {
  const made = witness.changes();
  if (!isDeepStrictEqual(sorted(made), sorted(expected))) {
    throw new FalsePromise(`the server was told ${JSON.stringify(made)}, not ${JSON.stringify(expected)}`);
  }
  const words = Object.entries(expected).map(([operation, count]) =>
    count === 1 ? operation : `${operation} ×${count}`,
  );
  seen(
    words.length === 0 ? "no call has changed anything" : `exactly these calls changed something: ${words.join(", ")}`,
  );
}

async function asDeclared(stage, witness, sentence = "the server has everything exactly as the program says") {
  const differences = witness.differences(await stage.resources());
  check(differences.length === 0, sentence, differences);
}

function ids({ emulator }) {
  const { vpcs, peerings, services, replicaSets } = emulator.state();
  return [vpcs, peerings, services, replicaSets].map((objects) => objects.map(({ id }) => id));
}

function check(isTrue, sentence, details = []) {
  if (!isTrue) throw new FalsePromise([`not so: ${sentence}`, ...details].join("\n  "));
  seen(sentence);
}

function sorted(counts) {
  return Object.entries(counts).toSorted(([a], [b]) => a.localeCompare(b));
}

async function main() {
  const flag = { type: "boolean", default: false };
  const { values } = parseArgs({ options: { keep: flag, quick: flag } });
  const stage = await openStage({ isQuick: values.quick });
  try {
    await play(stage, values);
    tellWhatWasSeen(createWitness(stage.emulator), Date.now() - startedMs);
    if (!values.keep) return 0;
    tellHowToGoOn(stage);
    await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
    return 0;
  } catch (error) {
    if (!(error instanceof FalsePromise)) throw error;
    process.stderr.write(`\nThe demo stops: ${error.message}\n`);
    return isInterrupted ? 130 : 1;
  } finally {
    await stage.close();
  }
}

process.exitCode = await main();
