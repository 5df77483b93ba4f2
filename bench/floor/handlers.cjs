// Handlers that do nothing but sleep as long as the server would take, and answer like an infinitely fast server. The
// remaining time of a run is the engine's own, for this program and for states of about this size. Plain JavaScript,
// because stripping types would cost time and memory in the measured process.
"use strict";

// Pulumi: the marker of a secret value between provider and engine.
const SECRET = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };

/**
 * Milliseconds, if the variable is set.
 * @param {"DBCLOUD_BENCH_CREATE_MS" | "DBCLOUD_BENCH_DELETE_MS"} variable
 */
async function sleep(variable) {
  const ms = process.env[variable];
  if (ms !== undefined) await new Promise((resolve) => void setTimeout(resolve, Number(ms)));
}

let made = 0;

/**
 * What a service shows besides its inputs.
 * @param {string} id
 * @param {Record<string, unknown>} inputs
 */
function outputsOf(id, inputs) {
  return {
    ...inputs,
    projectId: "proj000001",
    status: "READY",
    serviceType: "SERIESDB",
    created: "2026-01-01T00:00:00.000Z",
    endpoint: { host: `${id}.proj000001.pg.dbcloud.example`, port: 35_449 },
    resources: [{ id: "res0000001", cpuMillis: inputs["cpuMillis"], memoryGbs: inputs["memoryGbs"] }],
    haReplicas: { replicaCount: 0, syncReplicaCount: 0 },
    deletionProtection: false,
    poolerEnabled: false,
    paused: false,
    initialPassword: { ...SECRET, value: "sixteen-letters-" },
  };
}

/** @returns {import("@pulumi/pulumi").dynamic.ResourceProvider<Record<string, unknown>, Record<string, unknown>>} */
exports.provider = () => ({
  check: (_olds, news) => Promise.resolve({ inputs: news }),
  diff: () => Promise.resolve({}),
  create: async (inputs) => {
    made += 1;
    const id = `floor${String(made).padStart(5, "0")}`;
    await sleep("DBCLOUD_BENCH_CREATE_MS");
    return { id, outs: outputsOf(id, inputs) };
  },
  read: (id, props) => Promise.resolve({ id, ...(props === undefined ? {} : { props }) }),
  update: (_id, olds, news) => Promise.resolve({ outs: { ...olds, ...news } }),
  delete: () => sleep("DBCLOUD_BENCH_DELETE_MS"),
});
