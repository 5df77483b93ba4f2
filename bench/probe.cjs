// Loaded into every Node process of a run by `--require`; acts only in Pulumi's dynamic provider process. It stands
// between gRPC and the handlers, whoever wrote them, and notes how often each method was called, how long that took, when
// each create was done, and how much memory and CPU the process used. The provider itself knows nothing of it.
"use strict";

const { writeFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const path = require("node:path");

const folder = process.env.DBCLOUD_BENCH_PROBE;
const script = process.argv[1] ?? "";
if (folder !== undefined && /[\\/]dynamic-provider([\\/]|$)/.test(script)) watchProcess(folder);

function watchProcess(target) {
  const fromPulumi = createRequire(require.resolve("@pulumi/pulumi/package.json", { paths: [process.cwd()] }));
  const { Server } = fromPulumi("@grpc/grpc-js");
  const addService = Server.prototype.addService;
  const notes = { methods: {}, created: {} };
  Server.prototype.addService = function addWatched(definition, service) {
    return addService.call(this, definition, watched(service, notes));
  };
  const save = () => {
    const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
    const text = JSON.stringify({ ...notes, peakBytes: maxRSS * 1024, cpuMs: (userCPUTime + systemCPUTime) / 1000 });
    writeFileSync(path.join(target, `${process.pid}.json`), text);
  };
  setInterval(save, 250).unref();
  // Pulumi: a plugin is ended by SIGINT, and five seconds later by force.
  process.once("SIGINT", () => {
    save();
    process.exit(130);
  });
  process.once("exit", save);
}

/** The same service, with a stopwatch at each handler. */
function watched(service, { methods, created }) {
  const shell = Object.create(service);
  for (const method of ["check", "diff", "create", "read", "update", "delete"]) {
    const note = (methods[method] = { calls: 0, totalMs: 0 });
    shell[method] = (call, callback) => {
      const began = performance.now();
      service[method].call(shell, call, (...outcome) => {
        note.calls += 1;
        note.totalMs += performance.now() - began;
        if (method === "create") created[call.request.getUrn().split("::").at(-1)] = Date.now();
        callback(...outcome);
      });
    };
  }
  return shell;
}
