// One stack of one subject through the operations of its life, on the real CLI, each timed from outside. Everything is
// temporary: backend, CLI home, and the cloud.

import { mkdtemp, mkdir, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import automation from "@pulumi/pulumi/automation/index.js";
import { openControlPlane } from "./controlPlane.mjs";
import { floorPath, subjects } from "./subjects.mjs";

const { LocalWorkspace, PulumiCommand } = automation;
const bench = fileURLToPath(new URL(".", import.meta.url));
const probe = path.join(bench, "probe.cjs");

/**
 * Runs the operations and answers, for each, wall time, requests by operation, and what the probe saw.
 * @param {object} plan
 * @param {"floor" | "ours" | "naive"} plan.subject
 * @param {number} plan.size
 * @param {boolean} plan.checkpoints Whether the engine saves its state at every step, as it does for users.
 * @param {object} plan.ready See `openControlPlane`.
 * @param {number} [plan.parallel] The engine's own default when absent.
 * @param {string[]} plan.operations Some of up, preview, refresh, update, destroy; in this order.
 * @param {Record<string, string>} [plan.env]
 */
export async function runStack(plan) {
  const cloud = await openControlPlane({ ready: plan.ready });
  const folder = await mkdtemp(path.join(tmpdir(), "dbcloud-bench-"));
  try {
    const stack = await openStack(plan, cloud, folder);
    const figures = {};
    for (const operation of plan.operations) figures[operation] = await measure(stack, plan, cloud, folder, operation);
    return figures;
  } finally {
    await cloud.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function pulumiCommand() {
  const root = process.env.DBCLOUD_PULUMI_ROOT;
  return PulumiCommand.get(root === undefined ? {} : { root });
}

export async function pulumiVersion() {
  return String((await pulumiCommand()).version);
}

async function openStack({ subject, size, checkpoints, env = {} }, cloud, folder) {
  const backend = path.join(folder, "backend");
  await mkdir(backend);
  return LocalWorkspace.createOrSelectStack(
    { stackName: "bench", projectName: "bench", program: subjects[subject].program(size, false) },
    {
      workDir: folder,
      pulumiHome: path.join(folder, "home"),
      pulumiCommand: await pulumiCommand(),
      projectSettings: { name: "bench", runtime: "nodejs", main: bench, backend: { url: pathToFileURL(backend).href } },
      envVars: {
        PULUMI_CONFIG_PASSPHRASE: "bench",
        PULUMI_SKIP_UPDATE_CHECK: "true",
        ...(checkpoints ? {} : { PULUMI_SKIP_CHECKPOINTS: "true" }),
        DBCLOUD_BASE_URL: cloud.baseUrl,
        DBCLOUD_API_KEY: cloud.apiKey,
        DBCLOUD_PROJECT_ID: cloud.projectId,
        DBCLOUD_BENCH_FLOOR: floorPath,
        DBCLOUD_BENCH_PROBE: folder,
        NODE_OPTIONS: `--require ${JSON.stringify(probe)}`,
        ...env,
      },
    },
  );
}

const runs = {
  up: (stack, options) => stack.up(options),
  preview: (stack, options) => stack.preview(options),
  refresh: (stack, options) => stack.refresh(options),
  update: (stack, options) => stack.up(options),
  destroy: (stack, options) => stack.destroy(options),
};

async function measure(stack, plan, cloud, folder, operation) {
  const { subject, size, parallel } = plan;
  await cloud.takeRequests();
  await dropProbes(folder);
  stack.workspace.program = subjects[subject].program(size, operation === "update");
  const began = performance.now();
  await runs[operation](stack, parallel === undefined ? {} : { parallel });
  const wallMs = performance.now() - began;
  return {
    wallMs,
    requests: await cloud.takeRequests(),
    ...(await readProbes(folder)),
    ready: await cloud.readyMoments(),
    stateBytes: await stateBytes(folder, size),
  };
}

async function probeFiles(folder) {
  const names = await readdir(folder);
  return names.filter((name) => /^\d+\.json$/.test(name)).map((name) => path.join(folder, name));
}

async function dropProbes(folder) {
  for (const file of await probeFiles(folder)) await rm(file);
}

/** One provider process per command; should there be several, the largest counts. */
async function readProbes(folder) {
  const notes = await Promise.all(
    (await probeFiles(folder)).map(async (file) => JSON.parse(await readFile(file, "utf8"))),
  );
  const [largest] = notes.toSorted((a, b) => b.peakBytes - a.peakBytes);
  return largest ?? { methods: {}, created: {}, peakBytes: 0, cpuMs: 0 };
}

/** The bytes that one service takes in the state file. */
async function stateBytes(folder, size) {
  const file = path.join(folder, "backend", ".pulumi", "stacks", "bench", "bench.json");
  const text = await readFile(file, "utf8");
  const state = JSON.parse(text);
  const resources = state.checkpoint.latest?.resources ?? [];
  const services = resources.filter(({ type }) => /^pulumi-nodejs:dynamic[/:]/.test(type));
  if (services.length === 0) return 0;
  state.checkpoint.latest.resources = resources.filter((resource) => !services.includes(resource));
  const indent = /^\{\n( +)/.exec(text)?.[1].length ?? 0;
  return (text.length - JSON.stringify(state, null, indent).length) / size;
}
