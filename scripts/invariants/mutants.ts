// Safeguards of the provider, each with the edit that switches it off. The invariant machine must notice every one of
// them missing; that is how we know that it would notice. Texts are searched for as they stand, once per file.

export interface Mutant {
  name: string;
  /** What the provider does without the safeguard. */
  what: string;
  file: string;
  find: string;
  replace: string;
}

export const mutants: readonly Mutant[] = [
  {
    name: "id-first saving",
    what: "a create that fails after its answer forgets the id",
    file: "provider/lifecycle/handlers/create.ts",
    find: "throw asPartial(run, { olds: {}, raw, shownOnce, owner }, error);",
    replace: "throw error;",
  },
  {
    name: "pre-create look",
    what: "a create posts without looking first",
    file: "provider/lifecycle/create/findOrPost.ts",
    find: "const found = await readBeforeCreate(attempt);",
    replace: "const found = { before: [] };",
  },
  {
    name: "lost-answer watch",
    what: "a create whose answer is lost just fails",
    file: "provider/lifecycle/create/findOrPost.ts",
    find: 'if (outcome === "unknown") return',
    replace: "if (false) return",
  },
  {
    name: "never repeated blindly",
    what: "a create is sent again after an unknown answer",
    file: "provider/api/http/retry.ts",
    find: "notIdempotent: { unsent: true, rate: true, unknown: false, final: false }",
    replace: "notIdempotent: { unsent: true, rate: true, unknown: true, final: false }",
  },
  {
    name: "stale-READY guard",
    what: "a settled status is proof enough of a change",
    file: "provider/lifecycle/converge/converge.ts",
    find: "const missing = missingIn(item);",
    replace: "const missing = [];",
  },
  {
    name: "deletion protection",
    what: "nobody asks whether the state stores the object as protected",
    file: "provider/lifecycle/state/protection.ts",
    find: "return state[INPUT] === true;",
    replace: "return false;",
  },
  {
    name: "per-service lock",
    what: "changes of one service or VPC run side by side",
    file: "provider/lifecycle/session/locks.ts",
    find: "const mine = before.then(() => settleLeftover(key)).then(work);",
    replace: "const mine = work();",
  },
  {
    name: "gone by the list",
    what: "a 404 alone means to a refresh that the object is gone",
    file: "provider/lifecycle/handlers/missing.ts",
    find: "const { resource, session, id, scope, label, props, isRefresh, deadlineMs } = missing;",
    replace:
      "const { resource, session, id, scope, label, props, isRefresh, deadlineMs } = missing; if (isRefresh) return undefined;",
  },
  {
    name: "kept when taken over",
    what: "the old resource of an object that another one took over deletes it, in the same run",
    file: "provider/lifecycle/handlers/delete.ts",
    find: 'if (memory.adopted.has(object)) return "this run took it over";',
    replace: "",
  },
  {
    name: "held object kept",
    what: "a pending deletion takes along what a resource of the program goes on with",
    file: "provider/lifecycle/handlers/delete.ts",
    find: 'if (isKept(memory, object)) return "a resource of this program goes on with it";',
    replace: "",
  },
  {
    name: "fit to be ours",
    what: "a lost create takes any new object of its name, whatever it shows",
    file: "provider/lifecycle/create/lostAnswer.ts",
    find: "resource.isCandidate?.(inputs, item) ?? true",
    replace: "true",
  },
  {
    name: "own reads",
    what: "a read of one object is repeated until it is answered, and the reads of all others wait for it",
    file: "provider/lifecycle/session/sharedReader.ts",
    find: "resolveAll(own, item === undefined ? this.#single.readOnce(id, latestOf(own)) : Promise.resolve(item));",
    replace:
      "const answer = item === undefined ? this.#one(id, { deadlineMs: latestOf(own) }) : Promise.resolve(item);" +
      " await answer.catch(() => undefined); resolveAll(own, answer);",
  },
  {
    name: "items read one by one",
    what: "a list fails as a whole when one of its items cannot be read",
    file: "provider/api/operations/answer.ts",
    find: "const read = readItems(parse(someObjects, body, subject), items);",
    replace:
      "const read = readItems(parse(someObjects, body, subject), items);" +
      ' if (read.unreadable.length > 0) throw contractError(subject, "an item cannot be read");',
  },
  {
    name: "refused for good",
    what: "a refusal counts as busy until the deadline, also where nothing is under way",
    file: "provider/lifecycle/converge/busy.ts",
    find: "return count >= CONFIRMATION.refusal.agreeing;",
    replace: "return false;",
  },
];

/** The text of a file with the safeguard switched off; every other text as it is. */
export function mutate(
  { file, find, replace }: Pick<Mutant, "file" | "find" | "replace">,
  text: string,
  name: string,
): string {
  if (name !== file) return text;
  if (text.split(find).length !== 2) throw new Error(`${file} does not have exactly one "${find}"`);
  return text.replace(find, () => replace);
}
