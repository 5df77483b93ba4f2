// The heart: observe → plan → do a step → prove it → next. Create and update both end here.
// A step is proven by the observed field *and* a settled status; a READY with the old values is not believed.

import { ApiError, ContractError, InputError, RefusedError, TransportError, WaitError } from "../domain/errors";
import type { Step, Wanted } from "../plan/step";
import { describeConflict } from "../plan/step";

import type { Context } from "./context";
import type { Place, Resource } from "./resource";
import type { Session } from "./session";
import { waitFor, type Verdict } from "./wait";

/** One convergence under way: what it is about, and what became of it so far. Readable at any moment. */
export interface Run<Inputs extends object, Observed> {
  readonly resource: Resource<Inputs, Observed>;
  readonly context: Context;
  readonly session: Session;
  readonly id: string;
  readonly place: Place;
  readonly deadlineMs: number;
  readonly isNewUntilMs?: number | undefined;
  /** What people call the object: "service orders (svc1234567)". */
  readonly label: string;
  /** What must be there besides a settled status; answers what is missing. */
  readonly missing?: ((item: Observed) => string | undefined) | undefined;
  observed: Observed | undefined;
  readonly landed: Step<Inputs>[];
  remaining: readonly Step<Inputs>[];
  failed: Step<Inputs> | undefined;
}

/** A step may be sent again this often after answers that left its fate open. */
const ATTEMPTS = 5;
/** So many looks are given to the effect of a call whose answer was lost, before it is sent again. */
const LOOKS_AFTER_LOST_ANSWER = 8;

export async function converge<Inputs extends object, Observed>(
  run: Run<Inputs, Observed>,
  wanted: Wanted<Inputs>,
): Promise<Observed> {
  const { resource } = run;
  const start = await settle(run);
  const plan = resource.plan(wanted, resource.live(start, run.place));
  const [conflict] = plan.conflicts;
  if (conflict !== undefined) throw new InputError(conflict.property, `${run.label}: ${describeConflict(conflict)}`);
  run.remaining = plan.steps;
  await resource.beforeSteps?.(run.session, plan.steps, start, run.place);
  for (const step of plan.steps) {
    run.failed = step;
    run.context.progress(`${step.operation}: ${step.reason}`);
    await send(run, step);
    await prove(run, step);
    run.landed.push(step);
    run.remaining = run.remaining.slice(1);
    run.failed = undefined;
  }
  return run.observed ?? start;
}

/** Waits until nothing is under way, and the object is as far as its dependents need it. */
async function settle<Inputs extends object, Observed>(run: Run<Inputs, Observed>): Promise<Observed> {
  return watch(run, "settling", (item) => {
    const missing = run.missing?.(item);
    if (missing === undefined) return { is: "done" };
    return { is: "pending", seen: `${run.resource.statusOf(item)}, ${missing}` };
  });
}

/** The proofs of everything done so far must hold in the same look: an old value that comes back is waited out. */
async function prove<Inputs extends object, Observed>(run: Run<Inputs, Observed>, step: Step<Inputs>): Promise<void> {
  const proofs = latestBySlot([...run.landed, step]);
  if (proofs.length === 0) return;
  await watch(run, step.operation, (item) => {
    const live = run.resource.live(item, run.place);
    const missing = proofs.filter((done) => done.proof?.(live) === false).map((done) => done.properties.join("/"));
    if (missing.length === 0) return { is: "done" };
    return { is: "pending", seen: `${run.resource.statusOf(item)} with the old ${missing.join(", ")}` };
  });
}

function latestBySlot<Inputs>(steps: readonly Step<Inputs>[]): Step<Inputs>[] {
  const latest = new Map(steps.map((step) => [step.slot, step]));
  return [...latest.values()].filter((step) => step.proof !== undefined);
}

async function watch<Inputs extends object, Observed>(
  run: Run<Inputs, Observed>,
  what: string,
  judge: (item: Observed) => Verdict,
): Promise<Observed> {
  const { resource, session, id, place, deadlineMs } = run;
  const item = await waitFor(
    resource.view(session, place),
    {
      what,
      label: run.label,
      id,
      deadlineMs,
      isNewUntilMs: run.isNewUntilMs,
      report: run.context.progress,
      judge: (seen) => {
        run.observed = seen;
        const verdict = judgeStatus(resource, seen) ?? judge(seen);
        return verdict.is === "done" ? { is: "done", seen: resource.statusOf(seen) } : verdict;
      },
    },
    session.pace,
  );
  if (item === undefined) throw new WaitError("vanished", `${what} of ${run.label}: it is no longer there`);
  return item;
}

/** Undefined when the status alone says nothing against going on. */
function judgeStatus<Inputs extends object, Observed>(
  resource: Resource<Inputs, Observed>,
  item: Observed,
): Verdict | undefined {
  const status = resource.statusOf(item);
  const condition = resource.condition(item);
  if (condition === "pending") return { is: "pending", seen: status };
  if (condition === "failed") return { is: "failed", why: `it failed (${status}${suffix(resource.failure?.(item))})` };
  if (condition === "gone") return { is: "failed", why: `it is going or gone (${status}), and not by this run` };
  return undefined;
}

function suffix(text: string | undefined): string {
  return text === undefined ? "" : `: ${text}`;
}

/** Sends until the server has taken it: busy is waited out, a lost answer is looked after before it is sent again. */
async function send<Inputs extends object, Observed>(run: Run<Inputs, Observed>, step: Step<Inputs>): Promise<void> {
  const { resource, session, id, place, deadlineMs, context } = run;
  const view = resource.view(session, place);
  let lostAnswers = 0;
  for (;;) {
    try {
      view.changed(id);
      await resource.send(session, step, id, place, { deadlineMs, report: context.progress });
      view.changed(id);
      return;
    } catch (error) {
      view.changed(id);
      switch (fateOf(error)) {
        case "open":
          lostAnswers += 1;
          if (await hasLanded(run, step)) return;
          if (lostAnswers >= ATTEMPTS || session.clock.now() >= deadlineMs) throw error;
          break;
        case "busy":
          if (session.clock.now() >= deadlineMs) throw stillBusy(run, step, error);
          context.progress(`${step.operation}: the server is busy with another change, waiting for it to settle`);
          await session.clock.sleep(session.pace.intervalMs);
          await settle(run);
          if (lostAnswers > 0 && isProven(run, step)) return;
          break;
        case "refused":
          if (lostAnswers > 0 && (await hasLanded(run, step))) return;
          throw await explainAbsence(run, step.operation, error);
      }
    }
  }
}

/** What a failed call tells about the object: nothing changed, nothing changed yet, or who knows. */
export function fateOf(error: unknown): "refused" | "busy" | "open" {
  if (error instanceof TransportError) return error.sent === "no" ? "refused" : "open";
  if (error instanceof ContractError) return "open";
  if (error instanceof ApiError) {
    if (error.category === "conflict" || error.category === "tooEarly") return "busy";
    if (error.category === "server") return "open";
  }
  return "refused";
}

function isProven<Inputs extends object, Observed>(run: Run<Inputs, Observed>, step: Step<Inputs>): boolean {
  if (run.observed === undefined || step.proof === undefined) return false;
  return step.proof(run.resource.live(run.observed, run.place));
}

/** After a lost answer: the effect, or a change under way, says that the call had arrived. */
async function hasLanded<Inputs extends object, Observed>(
  run: Run<Inputs, Observed>,
  step: Step<Inputs>,
): Promise<boolean> {
  if (step.proof === undefined) return false;
  const { resource, session, id, place } = run;
  const view = resource.view(session, place);
  for (let look = 0; look < LOOKS_AFTER_LOST_ANSWER; look++) {
    const item = await view.next(id, session.pace.intervalMs, run.deadlineMs);
    if (item === undefined) continue;
    run.observed = item;
    if (resource.condition(item) !== "settled" || isProven(run, step)) return true;
  }
  return false;
}

function stillBusy<Inputs extends object, Observed>(
  run: Run<Inputs, Observed>,
  step: Step<Inputs>,
  cause: unknown,
): WaitError {
  const status = run.observed === undefined ? "nothing" : run.resource.statusOf(run.observed);
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new WaitError(
    "timeout",
    `${step.operation} of ${run.label}: ${reason}; still so at the deadline (last status ${status})`,
    "Another change keeps it busy. Run `pulumi up` again when that is over.",
  );
}

/** A route that the contract does not show may be missing on a server; the object itself is still there then. */
export async function explainAbsence<Inputs extends object, Observed>(
  run: Pick<Run<Inputs, Observed>, "resource" | "session" | "id" | "place" | "label">,
  operation: string,
  error: unknown,
): Promise<unknown> {
  const { resource, session, id, place, label } = run;
  if (!resource.undocumented.has(operation) || !(error instanceof ApiError)) return error;
  const isRouteMissing =
    error.category === "absentRoute" ||
    (error.category === "notFound" && (await resource.view(session, place).look(id)) !== undefined);
  if (!isRouteMissing) return error;
  return new RefusedError(
    `${operation} of ${label}: this server does not offer it (${error.status}); nothing was changed`,
    WITHOUT_ROUTE[operation],
  );
}

const WITHOUT_ROUTE: Readonly<Record<string, string>> = {
  deleteService:
    'Say `onDelete: "stop"` and run `pulumi up` once, so that a destroy stops the service and leaves it, or use Pulumi\'s `retainOnDelete`; then delete it in the console.',
  start: "Start the service in the console, then run `pulumi up` again.",
  rename: "Keep the old name in the program, or rename it in the console.",
};

/** What became of a run that ended early, in the order a reader asks. */
export function tellRun<Inputs extends object, Observed>(run: Run<Inputs, Observed>, error: unknown): string {
  const { failed, landed, remaining } = run;
  const why = error instanceof Error ? error.message : String(error);
  const later = remaining.filter((step) => step !== failed).map((step) => step.operation);
  return [
    why,
    ...(failed === undefined ? [] : [`failed: ${failed.operation} (${failed.reason})`]),
    ...(landed.length === 0 ? [] : [`done: ${landed.map((step) => step.operation).join(", ")}`]),
    ...(later.length === 0 ? [] : [`not tried: ${later.join(", ")}`]),
  ].join("\n");
}
