// Safeguards of the provider, each with the edit that switches it off. The invariant tests must notice each of them.
import type { Front } from "../../provider/pulumi/stateNames.ts";

/** The runs in this process, or the walk over the engine. */
export type Detector = "runs" | "walk";

export interface Mutant {
  name: string;
  /** What the provider does without the safeguard. */
  what: string;
  file: string;
  /** The exact text to replace, which occurs once in the file. */
  find: string;
  replace: string;
  /** What must notice it. Default: the runs. */
  by?: readonly Detector[];
  /** The front whose runs must notice it. Default: any. */
  front?: Front;
}

export const mutants: readonly Mutant[] = [
  {
    name: "save the id first",
    what: "a create that fails after its answer forgets the id",
    file: "provider/lifecycle/converge/outcome.ts",
    find: "throw isUntouched ? asUntouched(run, error) : asPartial(run, error);",
    replace: "throw run.isNew ? error : isUntouched ? asUntouched(run, error) : asPartial(run, error);",
  },
  {
    name: "list before a create",
    what: "a create posts without reading the list first",
    file: "provider/lifecycle/create/findOrPost.ts",
    find: "const isFree = duplicatesAmong(attempt, shared).length === 0",
    replace: "const isFree = true || duplicatesAmong(attempt, shared).length === 0",
  },
  {
    name: "poll after a lost answer",
    what: "a create whose answer is lost just fails",
    file: "provider/lifecycle/create/findOrPost.ts",
    find: "{ created: await pollForNew(attempt, before, posted, error) }",
    replace: "await Promise.reject(error)",
  },
  {
    name: "do not repeat a create",
    what: "a create is sent again after an unknown answer",
    file: "provider/lifecycle/converge/sender.ts",
    find: 'return outcome === "unknown" ? change.after(error, sent.seen)',
    replace: 'return outcome === "unknown" ? { is: "again", error }',
  },
  {
    name: "wait for the changed value",
    what: "a settled status is proof enough of a change",
    file: "provider/lifecycle/converge/converge.ts",
    find: "const missing = missingIn(item);",
    replace: "const missing = [];",
  },
  {
    name: "deletion protection",
    what: "a delete ignores that the state stores the object as protected",
    file: "provider/lifecycle/state/protection.ts",
    find: "return state[PROTECTION] === true;",
    replace: "return false;",
  },
  {
    name: "per-service lock",
    what: "changes of one service or VPC run side by side",
    file: "provider/lifecycle/session/createSession.ts",
    find: "const mine = before.then(() => settleLeftover(key)).then(work);",
    replace: "const mine = work();",
  },
  {
    name: "absence takes time",
    what: "a refresh takes a 404 alone for a deleted object",
    file: "provider/lifecycle/handlers/read.ts",
    find: "const again = await watchAbsence(target);",
    replace: "const again = await Promise.resolve(undefined);",
  },
  {
    name: "keep an object in use",
    what: "a pending deletion deletes an object that a resource of the program keeps or has adopted",
    by: ["runs", "walk"],
    file: "provider/lifecycle/view/decideDelete.ts",
    find: 'if (keeper !== undefined) return { is: "keep", by: keeper };',
    replace: "",
  },
  {
    name: "check the candidate",
    what: "a create whose answer was lost takes any new object of its name",
    file: "provider/lifecycle/create/existing.ts",
    find: "fresh.filter((item) => fits(attempt, item, { ...posted, lostMs }))",
    replace: "fresh",
  },
  {
    name: "decode items one by one",
    what: "a list fails as a whole when one of its items cannot be read",
    file: "provider/api/operations/answer.ts",
    find: "const read = readItems(parse(someObjects, body, subject), items);",
    replace:
      "const read = readItems(parse(someObjects, body, subject), items);" +
      ' if (read.unreadable.length > 0) throw contractError(subject, "an item cannot be read");',
  },
  {
    name: "limit refused repeats",
    what: "a refusal counts as busy until the deadline, also where nothing is under way",
    file: "provider/lifecycle/converge/busy.ts",
    find: "return count >= CONFIRMATION.refusal.agreeing;",
    replace: "return false;",
  },
  {
    name: "outputs that a change touches",
    what: "the preview of a switch of the pooler shows its old address as known",
    front: "native",
    file: "provider/kinds/service/plan.ts",
    find: 'steps: switchPooler, touches: ["connectionPooler"] }',
    replace: "steps: switchPooler, touches: [] }",
  },
  {
    name: "save the id after a Ctrl-C",
    what: "a create that is told to end forgets the id",
    front: "native",
    file: "provider/lifecycle/converge/outcome.ts",
    find: "throw isUntouched ? asUntouched(run, error) : asPartial(run, error);",
    replace:
      "throw run.context.signal.aborted ? error : isUntouched ? asUntouched(run, error) : asPartial(run, error);",
  },
  ...(
    [
      ["wanted", "an object that is to be adopted", "if (wanter !== undefined) return"],
      ["protected", "an object that its entry protects", 'if (protectedBy === "entry") return'],
      ["other entry", "an object that another entry protects", 'if (protectedBy === "otherEntry") return'],
      ["owner", "a part of a protected object that goes too", 'if (owner?.is === "protected") return'],
      [
        "left in the way",
        "an object before its successor, although it is left",
        "if (isLeft && facts.isReplacedFirst)",
      ],
      [
        "owner's tag",
        "a part of an object that is tagged PROD",
        'if (owner?.is === "byTag" && tag?.is === "production")',
      ],
      ["tag", "an object that is tagged PROD", 'if (facts.isRefusedByTag && tag?.is === "production")'],
    ] as const
  ).map(([name, what, find]): Mutant => ({
    name: `delete rule: ${name}`,
    what: `a delete takes ${what}`,
    by: ["walk"],
    file: "provider/lifecycle/view/decideDelete.ts",
    find,
    replace: find.replace(/if \(/, "if (false && "),
  })),
];

/** The mutants that one of the two must notice: all of them, or the one of that name. */
export function mutantsFor(detector: Detector, only: string | undefined): Mutant[] {
  const own = mutants.filter(({ by = ["runs"] }) => by.includes(detector));
  const chosen = own.filter(({ name }) => only === undefined || name === only);
  if (chosen.length > 0) return chosen;
  throw new Error(`there is no mutant "${only}": ${own.map(({ name }) => name).join(", ")}`);
}

/** The text of the mutated file with the safeguard switched off; other files are unchanged. */
export function mutate(
  { file, find, replace }: Pick<Mutant, "file" | "find" | "replace">,
  text: string,
  name: string,
): string {
  if (name !== file) return text;
  if (text.split(find).length !== 2) throw new Error(`${file} does not have exactly one "${find}"`);
  return text.replace(find, () => replace);
}
