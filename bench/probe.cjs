// Preloaded by `--require` into every Node process of a run. In Pulumi's dynamic provider process it sits between gRPC
// and any handlers, and records how often each method was called, how long that took, when each create was done, and
// how much memory and CPU the process used. For a program that `pulumi` runs it records memory and CPU alone. Plain
// JavaScript, because stripping types would cost time and memory in the measured process.
"use strict";

const { writeFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const path = require("node:path");

/**
 * @typedef {{ request: { getUrn(): string } }} Call
 * @typedef {(...outcome: unknown[]) => void} Callback
 * @typedef {Record<string, ((call: Call, callback: Callback) => void) | undefined>} Handlers
 * @typedef {Record<string, { calls: number, totalMs: number }>} Methods
 * @typedef {{ methods: Methods, created: Record<string, number> }} Notes
 */

const folder = process.env["DBCLOUD_BENCH_PROBE"];
const script = process.argv[1] ?? "";
if (folder !== undefined && /[\\/]dynamic-provider(?:[\\/]|$)/.test(script)) probeProcess(folder);

if (folder !== undefined && /[\\/]cmd[\\/]run(?:[\\/]|$)/.test(script)) {
  process.once("exit", () => writeFileSync(path.join(folder, "program.json"), JSON.stringify(usage())));
}

function usage() {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  return { peakBytes: maxRSS * 1024, cpuMs: (userCPUTime + systemCPUTime) / 1000 };
}

/** @param {string} target */
function probeProcess(target) {
  const fromPulumi = createRequire(require.resolve("@pulumi/pulumi/package.json", { paths: [process.cwd()] }));
  const { Server } = /** @type {typeof import("@grpc/grpc-js")} */ (fromPulumi("@grpc/grpc-js"));
  const addService = Reflect.get(Server.prototype, "addService");
  /** @type {Notes} */
  const notes = { methods: {}, created: {} };
  /**
   * @this {import("@grpc/grpc-js").Server}
   * @param {import("@grpc/grpc-js").ServiceDefinition} definition
   * @param {object} service
   */
  Server.prototype.addService = function addProbed(definition, service) {
    // gRPC's own type of a service does not list its methods.
    const probed = probedService(/** @type {Handlers} */ (service), notes);
    addService.call(
      this,
      definition,
      /** @type {import("@grpc/grpc-js").UntypedServiceImplementation} */ (/** @type {object} */ (probed)),
    );
  };
  const save = () => {
    writeFileSync(path.join(target, `${process.pid}.json`), JSON.stringify({ ...notes, ...usage() }));
  };
  setInterval(save, 250).unref();
  // Pulumi: a plugin is ended by SIGINT, and killed five seconds later.
  process.once("SIGINT", () => {
    save();
    process.exit(130);
  });
  process.once("exit", save);
}

/**
 * The same service, with a stopwatch at each handler.
 * @param {Handlers} service
 * @param {Notes} notes
 */
function probedService(service, { methods, created }) {
  const probed = /** @type {Handlers} */ (Object.create(service));
  for (const method of ["check", "diff", "create", "read", "update", "delete"]) {
    const note = (methods[method] = { calls: 0, totalMs: 0 });
    probed[method] = (call, callback) => {
      const began = performance.now();
      service[method]?.call(probed, call, (...outcome) => {
        note.calls += 1;
        note.totalMs += performance.now() - began;
        if (method === "create") created[call.request.getUrn().split("::").at(-1) ?? ""] = Date.now();
        callback(...outcome);
      });
    };
  }
  return probed;
}
