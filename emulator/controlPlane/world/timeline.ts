// How one object moves through its statuses and what readers see of it. There are no timers: each request computes the
// state from the clock. Knows bodies with a status, nothing of services or HTTP.

interface Phase<T> {
  readonly body: T;
  readonly ms: number;
  /** Whether the object refuses other changes in this phase. */
  readonly busy: boolean;
}

/** What a change brings: the phases, then `after` (undefined: the object is gone). */
export interface Transition<T> {
  readonly phases: readonly Phase<T>[];
  readonly after: T | undefined;
}

/** Real work behind a change: its phases last at least until the work has reached the matching point. */
interface Progress {
  readonly isBegun: boolean;
  readonly isDone: boolean;
}

/** One accepted change: the phases run from `at`, then `after` holds (undefined: the object is gone). */
export interface Change<T> {
  at: number;
  before?: T | undefined;
  phases: readonly Phase<T>[];
  after?: T | undefined;
  /** Readers see `before` until this moment … */
  staleUntil: number;
  /** … and for this many more reads. */
  staleReads: number;
  lastStaleReadAt: number;
  comesBack: number;
  shownAfter: boolean;
  /** The last phase lasts until the work is done, the earlier ones until it has begun. */
  work?: Progress | undefined;
  /** A temporary status: a change that starts meanwhile must not make it permanent. */
  passing?: string | undefined;
}

/** An object held in one status by a fault; its running changes make no progress meanwhile. */
interface Hold {
  readonly from: number;
  readonly status: string;
  readonly until: number;
  reads: number;
  lastReadAt: number;
}

export interface Timeline<T> {
  settled?: T | undefined;
  /** Oldest first. Only the last one runs; earlier ones stay in the list while readers still lag behind. */
  changes: Change<T>[];
  hold?: Hold | undefined;
}

export interface Staleness {
  readonly ms: number;
  readonly reads: number;
  readonly comesBack: number;
}

export interface Body {
  readonly status: string;
}

export const notStale: Staleness = { ms: 0, reads: 0, comesBack: 0 };

export function beginChange<T extends Body>(
  timeline: Timeline<T>,
  now: number,
  transition: Transition<T>,
  stale: Staleness,
): Change<T> {
  // An `after` built from the shown status must not make the status of a fault permanent.
  const own = target(timeline)?.status;
  const passing = timeline.hold?.status ?? timeline.changes.at(-1)?.passing;
  const isHeld = own !== undefined && transition.after?.status === passing;
  const change: Change<T> = {
    at: now,
    before: actual(timeline, now),
    phases: transition.phases,
    after: transition.after && isHeld ? { ...transition.after, status: own } : transition.after,
    staleUntil: stale.ms > 0 ? now + stale.ms : 0,
    staleReads: stale.reads,
    lastStaleReadAt: now,
    comesBack: stale.comesBack,
    shownAfter: false,
  };
  timeline.changes.push(change);
  return change;
}

/** The true state of the object on the server at this moment. */
export function actual<T extends Body>(timeline: Timeline<T>, now: number): T | undefined {
  const change = timeline.changes.at(-1);
  if (!change) return held(timeline, timeline.settled);
  return held(
    timeline,
    isHeldAtStart(timeline, change) ? firstBody(change) : bodyAt(change, momentOf(timeline, now) - change.at),
  );
}

/** The state of the object after the running change. */
export function target<T>(timeline: Timeline<T>): T | undefined {
  const change = timeline.changes.at(-1);
  return change ? change.after : timeline.settled;
}

export function isChanging<T>(timeline: Timeline<T>, now: number): boolean {
  const change = timeline.changes.at(-1);
  if (!change) return false;
  if (isHeldAtStart(timeline, change)) return change.phases[0]?.busy ?? true;
  return phaseAt(change, momentOf(timeline, now) - change.at)?.busy ?? false;
}

/** What a reader sees; `counts` says whether this read uses up one of the stale reads. */
export function visible<T extends Body>(timeline: Timeline<T>, now: number, counts: boolean): T | undefined {
  for (let index = timeline.changes.length - 1; index >= 0; index -= 1) {
    const change = timeline.changes[index];
    if (!change || !isReleased(change, now, counts)) continue;
    if (index < timeline.changes.length - 1) return shownBody(change, now, counts);
    const body = isHeldAtStart(timeline, change)
      ? firstBody(change)
      : shownBody(change, momentOf(timeline, now), counts);
    return held(timeline, body, now, counts);
  }
  const oldest = timeline.changes[0];
  return oldest ? oldest.before : held(timeline, timeline.settled, now, counts);
}

/** Removes changes that are over. Returns true while a change is still in progress for the server or for readers. */
export function advance<T>(timeline: Timeline<T>, now: number): boolean {
  releaseHold(timeline, now);
  if (timeline.hold) return true;
  const last = timeline.changes.at(-1);
  if (!last) return false;
  if (!isOver(last, now)) return true;
  timeline.settled = last.after;
  timeline.changes = [];
  return false;
}

/** Finishes everything at once, lag included; but work on real servers takes its own time. */
export function settle<T>(timeline: Timeline<T>): void {
  const last = timeline.changes.at(-1);
  timeline.hold = undefined;
  if (last?.work && !last.work.isDone) {
    const { at } = last;
    const phases = last.phases.map((phase) => ({ ...phase, ms: 0 }));
    timeline.changes = [{ ...last, phases, staleUntil: at, staleReads: 0, lastStaleReadAt: at, comesBack: 0 }];
    return;
  }
  timeline.settled = target(timeline);
  timeline.changes = [];
}

/**
 * Before the object gets this status out of band: ends what runs and what holds the object, lag included. But a delete goes
 * on, and what holds it too, as its end would leave nothing that could have a status.
 */
export function endChange<T>(timeline: Timeline<T>, status: string): void {
  if (target(timeline) !== undefined) settle(timeline);
  else timeline.hold &&= { ...timeline.hold, status };
}

/** Changes the object out of band: in the states before, during and after a running change. */
export function patch<T>(timeline: Timeline<T>, apply: (body: T) => T): void {
  const edit = (body: T | undefined): T | undefined => (body === undefined ? undefined : apply(body));
  timeline.settled = edit(timeline.settled);
  for (const change of timeline.changes) {
    change.before = edit(change.before);
    change.phases = change.phases.map((phase) => ({ ...phase, body: apply(phase.body) }));
    change.after = edit(change.after);
  }
}

function phaseAt<T>(change: Change<T>, elapsedMs: number): Phase<T> | undefined {
  let rest = Math.max(0, elapsedMs);
  for (const phase of change.phases) {
    if (rest < phase.ms || isAwaited(change, phase)) return phase;
    rest -= phase.ms;
  }
  return undefined;
}

function isAwaited<T>({ work, phases }: Change<T>, phase: Phase<T>): boolean {
  if (!work) return false;
  return phase === phases.at(-1) ? !work.isDone : !work.isBegun;
}

function bodyAt<T>(change: Change<T>, elapsedMs: number): T | undefined {
  const phase = phaseAt(change, elapsedMs);
  return phase ? phase.body : change.after;
}

function isReleased<T>(change: Change<T>, now: number, counts: boolean): boolean {
  if (change.staleReads > 0) {
    if (counts) {
      change.staleReads -= 1;
      change.lastStaleReadAt = now;
    }
    return false;
  }
  return now >= change.staleUntil;
}

/** Readers see the whole course too, but later: for them it begins when the staleness ends. */
function releasedAt<T>(change: Change<T>): number {
  return Math.max(change.at, change.staleUntil, change.lastStaleReadAt);
}

function shownBody<T>(change: Change<T>, moment: number, counts: boolean): T | undefined {
  const elapsedMs = moment - releasedAt(change);
  if (phaseAt(change, elapsedMs) || change.comesBack === 0) return bodyAt(change, elapsedMs);
  if (!change.shownAfter) {
    if (counts) change.shownAfter = true;
    return change.after;
  }
  if (counts) change.comesBack -= 1;
  return change.before;
}

function isOver<T>(change: Change<T>, now: number): boolean {
  if (change.staleReads > 0 || now < change.staleUntil || change.comesBack > 0) return false;
  return !phaseAt(change, now - releasedAt(change));
}

function momentOf<T>(timeline: Timeline<T>, now: number): number {
  return timeline.hold ? Math.min(now, timeline.hold.from) : now;
}

/** Whether a fault held the object from the first moment of this change, however short its phases are. */
function isHeldAtStart<T>(timeline: Timeline<T>, change: Change<T>): boolean {
  return timeline.hold !== undefined && timeline.hold.from <= change.at;
}

function firstBody<T>(change: Change<T>): T | undefined {
  const first = change.phases[0];
  return first ? first.body : change.after;
}

function held<T extends Body>(timeline: Timeline<T>, body: T | undefined, now = 0, counts = false): T | undefined {
  if (!timeline.hold || !body) return body;
  if (counts && timeline.hold.reads > 0) {
    timeline.hold.reads -= 1;
    timeline.hold.lastReadAt = now;
  }
  return { ...body, status: timeline.hold.status };
}

function releaseHold<T>(timeline: Timeline<T>, now: number): void {
  const hold = timeline.hold;
  if (!hold || hold.reads > 0 || now < hold.until) return;
  for (const change of timeline.changes) {
    const shiftMs = Math.max(0, Math.max(hold.until, hold.lastReadAt) - Math.max(hold.from, change.at));
    // The lag of readers does not grow with it: they have seen the status that was held, so nothing older shows after it.
    change.at += shiftMs;
  }
  timeline.hold = undefined;
}
