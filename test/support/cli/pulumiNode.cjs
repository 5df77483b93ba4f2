// Loaded before everything else by the Node processes that load Pulumi: it lets them use Node's compile cache, and leaves
// out what hardly one of them needs. Together that is more than half of the CPU time of their start. It changes nothing
// of what they do.
const Module = require("node:module");
const { setFlagsFromString } = require("node:v8");

// Pulumi: the import of the closure serializer sets this flag of V8, and V8 refuses code that was compiled under other
// flags. Set from the beginning, it is the same for all code.
setFlagsFromString("--allow-natives-syntax");

// Node writes the cache when a process ends, but the engine ends its provider by a SIGKILL. By then it has loaded all.
const LOADED_MS = 1_000;
setTimeout(Module.flushCompileCache, LOADED_MS).unref();

// Pulumi: the closure serializer loads npm's dependency tree, for closures that capture a module. It is loaded for those.
const TREE = "@npmcli/arborist";
/** @typedef {{ Arborist: new (options: unknown) => object }} Tree */
/** @typedef {(request: string, ...others: unknown[]) => unknown} Load */
const loader = /** @type {{ _load: Load }} */ (/** @type {unknown} */ (Module));
const { _load: load } = loader;

/** @type {Load} */
function loadLate(request, ...others) {
  if (request !== TREE) return load(request, ...others);
  return {
    /** @param {unknown} options */
    Arborist: function Arborist(options) {
      const tree = /** @type {Tree} */ (load(request, ...others));
      return new tree.Arborist(options);
    },
  };
}
loader._load = loadLate;
