// Preloaded by the Node processes that load Pulumi: enables Node's compile cache, and loads rarely used modules only
// when they are used. Together that saves more than half of the CPU time of their start. It does not change their
// behaviour.
const { readFileSync } = require("node:fs");
const Module = require("node:module");
const { setFlagsFromString } = require("node:v8");

// Pulumi: importing the closure serializer sets this V8 flag, and V8 refuses code that was compiled with other flags.
// Set from the beginning, the flag is the same for all code.
setFlagsFromString("--allow-natives-syntax");

// Node writes the cache when a process ends, but the engine ends its provider by a SIGKILL. By then all modules are
// loaded.
const LOADED_MS = 1_000;
setTimeout(Module.flushCompileCache, LOADED_MS).unref();

/** @typedef {(...values: unknown[]) => unknown} Callable */
/** @typedef {Record<PropertyKey, unknown> & Callable} Loaded */
/** @typedef {{ filename?: string | null }} Parent */
/** @typedef {(request: string, parent?: Parent, ...others: unknown[]) => unknown} Load */
const loader = /** @type {{ _load: Load }} */ (/** @type {unknown} */ (Module));
const { _load: load } = loader;

// Pulumi: the closure serializer loads the compiler, npm's dependency tree and npm's reader of package files. It uses
// them for the functions that a program has serialized. What the compiled `import` asks first is answered without
// loading.
const SERIALIZER = new Map([
  ["typescript", true],
  ["@npmcli/arborist", true],
  ["normalize-package-data", false],
]);

// Pulumi: the tracing module reads the classes of its packages at import, but uses them only when traces are requested.
const TRACES = /[\\/]cmd[\\/]run[\\/]tracing\.js$/;

/** @type {Load} */
function loadLate(request, parent, ...others) {
  const now = () => /** @type {Loaded} */ (load(request, parent, ...others));
  const isModule = SERIALIZER.get(request);
  if (isModule !== undefined) return late(now, isModule);
  if (request === "inspector")
    return withLateSession(/** @type {typeof import("node:inspector")} */ (/** @type {unknown} */ (now())));
  if (!request.startsWith("@opentelemetry/") || !TRACES.test(parent?.filename ?? "")) return now();
  if (request === "@opentelemetry/api") return now();
  return new Proxy({}, { get: (_, name) => late(() => /** @type {Loaded} */ (now()[name])) });
}
loader._load = loadLate;

/**
 * Stands for a module, a function or a class until it is used.
 * @param {() => Loaded} now
 * @param {boolean} [isModule] What its `__esModule` is.
 */
function late(now, isModule) {
  return new Proxy(function () {}, {
    get: (_, name) => (name === "__esModule" ? isModule : now()[name]),
    has: (_, name) => name in now(),
    apply: (_, self, values) => Reflect.apply(now(), self, values),
    construct: (_, values) => /** @type {object} */ (Reflect.construct(now(), values)),
  });
}

/**
 * Pulumi: a program's process connects a debugger to itself, which reports every script, and asks it where serialized
 * functions are defined. Here it connects at the first question, and then reports all scripts at once.
 * @param {typeof import("node:inspector")} inspector
 */
function withLateSession(inspector) {
  class LateSession extends inspector.Session {
    constructor() {
      super();
      const connect = super.connect.bind(this);
      const post = /** @type {Callable} */ (super.post.bind(this));
      let isConnected = false;
      /** @type {(method: string, ...others: Callable[]) => void} */
      const postLate = (method, ...others) => {
        if (method === "Debugger.enable") return void setImmediate(() => others[0]?.(null, {}));
        if (!isConnected) {
          isConnected = true;
          connect();
          post("Debugger.enable");
        }
        return void post(method, ...others);
      };
      Object.assign(this, { connect: () => undefined, post: postLate });
    }
  }
  return { ...inspector, Session: LateSession };
}

// Pulumi: an old language host does not know the options of `Pulumi.yaml`, and compiles every program like TypeScript.
if (/[\\/]cmd[\\/]run[\\/]index\.js$/.test(process.argv[1] ?? "") && isPlain()) {
  delete process.env["PULUMI_NODEJS_TYPESCRIPT"];
}

function isPlain() {
  try {
    return /^runtime:.*\btypescript: *false\b/m.test(readFileSync("Pulumi.yaml", "utf8"));
  } catch {
    return false; // the program is in a folder below its project's
  }
}
