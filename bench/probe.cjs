// Preloaded by `--require` into every Node process of a run. In Pulumi's dynamic provider process it sits between gRPC
// and any handlers, and records when each create was done, and how much memory and CPU the process used. For a program
// that `pulumi` runs it records memory and CPU alone. Plain JavaScript, because stripping types would cost time and memory
// in the measured process.
"use strict";

const { writeFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const path = require("node:path");

/**
 * @typedef {{ request: { getUrn(): string } }} Call
 * @typedef {(...outcome: unknown[]) => void} Callback
 * @typedef {Record<string, ((call: Call, callback: Callback) => void) | undefined>} Handlers
 * @typedef {Record<string, number>} Moments
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
  /** @type {Moments} */
  const created = {};
  /**
   * @this {import("@grpc/grpc-js").Server}
   * @param {import("@grpc/grpc-js").ServiceDefinition} definition
   * @param {object} service
   */
  Server.prototype.addService = function addProbed(definition, service) {
    // gRPC's own type of a service does not list its methods.
    const probed = probedService(/** @type {Handlers} */ (service), created);
    addService.call(
      this,
      definition,
      /** @type {import("@grpc/grpc-js").UntypedServiceImplementation} */ (/** @type {object} */ (probed)),
    );
  };
  const save = () => {
    writeFileSync(path.join(target, `${process.pid}.json`), JSON.stringify({ created, ...usage() }));
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
 * The same service, which notes when each create is done.
 * @param {Handlers} service
 * @param {Moments} created
 */
function probedService(service, created) {
  const probed = /** @type {Handlers} */ (Object.create(service));
  probed["create"] = (call, callback) =>
    service["create"]?.call(probed, call, (...outcome) => {
      created[call.request.getUrn().split("::").at(-1) ?? ""] = Date.now();
      callback(...outcome);
    });
  return probed;
}
