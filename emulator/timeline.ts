// How one object moves through its statuses and what readers see of it. Nothing ticks: where an object stands is
// computed from the clock whenever somebody looks. Knows bodies with a status, nothing of services or HTTP.

export interface Phase<T> {
  readonly body: T;
  readonly ms: number;
  /** Whether the object refuses other changes in this phase. */
  readonly busy: boolean;
}

/** One accepted change: the phases run from `at`, then `after` holds (undefined: the object is gone). */
export interface Change<T> {
  at: number;
  before: T | undefined;
  phases: readonly Phase<T>[];
  after: T | undefined;
  /** Readers see `before` until this moment … */
  staleUntil: number;
  /** … and for so many more reads. */
  staleReads: number;
  lastStaleReadAt: number;
  comesBack: number;
  shownAfter: boolean;
}

/** An object kept in one status by a fault; the clock of its change stands still meanwhile. */
export interface Hold {
  readonly from: number;
  readonly status: string;
  readonly until: number;
  reads: number;
  lastReadAt: number;
}

export interface Track<T> {
  settled: T | undefined;
  /** Oldest first. Only the last one runs; earlier ones are kept while readers still lag behind. */
  changes: Change<T>[];
  hold: Hold | undefined;
}

export interface Staleness {
  readonly ms: number;
  readonly reads: number;
  readonly comesBack: number;
}

interface Body {
  readonly status: string;
}

export const promptly: Staleness = { ms: 0, reads: 0, comesBack: 0 };

export function begin<T extends Body>(
  track: Track<T>,
  now: number,
  course: { phases: readonly Phase<T>[]; after: T | undefined },
  stale: Staleness,
): void {
  // Whoever makes `after` out of what shows now must not keep the status for good that a fault holds it in.
  const own = goal(track)?.status;
  const isHeld = own !== undefined && course.after?.status === track.hold?.status;
  track.changes.push({
    at: now,
    before: truth(track, now),
    phases: course.phases,
    after: course.after && isHeld ? { ...course.after, status: own } : course.after,
    staleUntil: now + stale.ms,
    staleReads: stale.reads,
    lastStaleReadAt: now,
    comesBack: stale.comesBack,
    shownAfter: false,
  });
}

/** What the object is on the server at this moment, whatever readers are shown. */
export function truth<T extends Body>(track: Track<T>, now: number): T | undefined {
  const change = track.changes.at(-1);
  if (!change) return held(track, track.settled);
  return held(
    track,
    isHeldAtStart(track, change) ? firstBody(change) : bodyAt(change, momentOf(track, now) - change.at),
  );
}

/** What the object will be once the running change is over. */
export function goal<T>(track: Track<T>): T | undefined {
  const change = track.changes.at(-1);
  return change ? change.after : track.settled;
}

export function isChanging<T>(track: Track<T>, now: number): boolean {
  const change = track.changes.at(-1);
  if (!change) return false;
  return isHeldAtStart(track, change) || (phaseAt(change, momentOf(track, now) - change.at)?.busy ?? false);
}

/** What a reader is shown; `counts` says whether this look uses up one of the lagging reads. */
export function look<T extends Body>(track: Track<T>, now: number, counts: boolean): T | undefined {
  for (let index = track.changes.length - 1; index >= 0; index -= 1) {
    const change = track.changes[index];
    if (!change || !isReleased(change, now, counts)) continue;
    if (index < track.changes.length - 1) return shownBody(change, now, counts);
    const body = isHeldAtStart(track, change) ? firstBody(change) : shownBody(change, momentOf(track, now), counts);
    return held(track, body, now, counts);
  }
  const oldest = track.changes[0];
  return oldest ? oldest.before : held(track, track.settled, now, counts);
}

/** Ends what is over. True while something about the object is still under way for the server or for readers. */
export function advance<T>(track: Track<T>, now: number): boolean {
  releaseHold(track, now);
  if (track.hold) return true;
  const last = track.changes.at(-1);
  if (!last) return false;
  if (!isOver(last, now)) return true;
  track.settled = last.after;
  track.changes = [];
  return false;
}

/** Finishes everything at once, lagging readers included. */
export function settle<T>(track: Track<T>): void {
  track.settled = goal(track);
  track.changes = [];
  track.hold = undefined;
}

/** Changes the object behind the back of any running change: before, during and after it. */
export function patch<T>(track: Track<T>, apply: (body: T) => T): void {
  const edit = (body: T | undefined): T | undefined => (body === undefined ? undefined : apply(body));
  track.settled = edit(track.settled);
  for (const change of track.changes) {
    change.before = edit(change.before);
    change.phases = change.phases.map((phase) => ({ ...phase, body: apply(phase.body) }));
    change.after = edit(change.after);
  }
}

function phaseAt<T>(change: Change<T>, elapsedMs: number): Phase<T> | undefined {
  let rest = Math.max(0, elapsedMs);
  for (const phase of change.phases) {
    if (rest < phase.ms) return phase;
    rest -= phase.ms;
  }
  return undefined;
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

/** Readers live through the whole course too, only later: it begins for them when the staleness ends. */
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

function momentOf<T>(track: Track<T>, now: number): number {
  return track.hold ? Math.min(now, track.hold.from) : now;
}

/** A change that was stuck from its first moment, however short its phases are. */
function isHeldAtStart<T>(track: Track<T>, change: Change<T>): boolean {
  return track.hold !== undefined && track.hold.from <= change.at;
}

function firstBody<T>(change: Change<T>): T | undefined {
  const first = change.phases[0];
  return first ? first.body : change.after;
}

function held<T extends Body>(track: Track<T>, body: T | undefined, now = 0, counts = false): T | undefined {
  if (!track.hold || !body) return body;
  if (counts && track.hold.reads > 0) {
    track.hold.reads -= 1;
    track.hold.lastReadAt = now;
  }
  return { ...body, status: track.hold.status };
}

function releaseHold<T>(track: Track<T>, now: number): void {
  const hold = track.hold;
  if (!hold || hold.reads > 0 || now < hold.until) return;
  const shiftMs = Math.max(hold.until, hold.lastReadAt) - hold.from;
  for (const change of track.changes) {
    change.at += shiftMs;
    change.staleUntil += shiftMs;
    change.lastStaleReadAt += shiftMs;
  }
  track.hold = undefined;
}
