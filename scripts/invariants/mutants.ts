// Safeguards of the provider, each with the edit that switches it off. The invariant tests or a unit test must notice it.
import type { Form } from "../../provider/pulumi/stateNames.ts";

/** The runs in this process, or the walk over the engine. */
export type Detector = "runs" | "walk";

/** No value is none, or it is not shown. */
type Meaning = "none" | "notShown";

export interface Mutant {
  name: string;
  /** What the provider does without the safeguard. */
  what: string;
  file: string;
  /** The exact text to replace, which occurs once in the file. */
  find: string;
  replace: string;
  /** The file of unit tests that must notice it. */
  test?: string;
  /** What must notice it. Default: the runs, if no unit test does. */
  by?: readonly Detector[];
  /** The form whose runs must notice it. Default: any. */
  form?: Form;
}

/** No walk comes to these. An inline program that has failed ends before Pulumi deletes anything. */
const UNSEEN_BY_WALK: ReadonlySet<string> = new Set([
  "stopped",
  "unread",
  "unshared",
  "after failure",
  "program",
  "read",
  "parts",
]);

export const mutants: readonly Mutant[] = [
  {
    name: "save the id first",
    what: "a create that fails after its answer forgets the id",
    file: "provider/core/leftInState.ts",
    find: "throw isUntouched ? asUntouched(run, error) : asPartial(run, error);",
    replace: "throw run.isNew ? error : isUntouched ? asUntouched(run, error) : asPartial(run, error);",
  },
  {
    name: "list before a create",
    what: "a create posts without reading the list first",
    file: "provider/core/postOnce.ts",
    find: "const isFree = duplicatesAmong(attempt, shared).length === 0",
    replace: "const isFree = true || duplicatesAmong(attempt, shared).length === 0",
  },
  {
    name: "poll after a lost answer",
    what: "a create whose answer is lost just fails",
    file: "provider/core/postOnce.ts",
    test: "test/core/lostAnswer.test.ts",
    find: "return reportLost(attempt, { before, posted: posted ?? now(), cause, named });",
    replace: "throw cause;",
  },
  {
    name: "do not repeat a create",
    what: "a create is sent again after an unknown answer",
    file: "provider/core/send.ts",
    find: 'return outcome === "unknown" ? change.after(error, sent.seen)',
    replace: 'return outcome === "unknown" ? { is: "again", error }',
  },
  {
    name: "wait for the changed value",
    what: "a settled status is proof enough of a change",
    file: "provider/core/converge.ts",
    find: "const missing = unprovenBy(live).flatMap(",
    replace: "const missing = ([] as Step[]).flatMap(",
  },
  {
    name: "deletion protection",
    what: "a delete ignores that the state stores the object as protected",
    file: "provider/core/protection.ts",
    find: "return state[PROTECTION] === true;",
    replace: "return false;",
  },
  {
    name: "per-service lock",
    what: "changes of one service or VPC run side by side",
    file: "provider/core/createSession.ts",
    find: "const mine = before.then(work);",
    replace: "const mine = Promise.resolve().then(work);",
  },
  {
    name: "one list is no proof beside a note",
    what: "a name is free by one list although an earlier create of it may have arrived",
    file: "provider/core/name.ts",
    test: "test/laws/absenceLostCreate.test.ts",
    find: 'const leftMs = Math.max(lateMs, doubtMs(session, "gone") - watchedMs);',
    replace: "const leftMs = lateMs;",
  },
  {
    name: "a look that finds nothing takes time",
    what: "before a delete that no server has accepted, a moment of 404s is believed",
    file: "provider/core/removeAndWait.ts",
    test: "test/core/absence.test.ts",
    find: "await endBy(await provePresence(run));",
    replace: "await endBy(await provePresence(run, { isAccepted: true }));",
  },
  {
    name: "another deletion is no refusal for good",
    what: "a delete fails because the object is being deleted already",
    file: "provider/core/removeAndWait.ts",
    test: "test/core/absence.test.ts",
    find: "return !isGoing && [item, inside]",
    replace: "return [item, inside]",
  },
  {
    name: "a lost answer keeps the lock",
    what: "another change goes out while a delete may run whose answer was lost",
    file: "provider/core/send.ts",
    test: "test/core/replicaSetRemoval.test.ts",
    find: 'if (end.is !== "again" || !(heldUntilMs !== undefined || end.mayRun === true)) return end;',
    replace: 'if (end.is !== "again" || heldUntilMs === undefined) return end;',
  },
  {
    name: "absence takes time: before the tag",
    what: "a moment of 404s hides a tag that would refuse the delete",
    test: "test/core/absence.test.ts",
    file: "provider/core/deleteFacts.ts",
    find: 'if (answer === "missing" && source.isPatient) return { is: "missing" };',
    replace: "",
  },
  {
    name: "absence takes time: before a create",
    what: "a create rests on a list that lacks a name which the list before it has shown",
    test: "test/core/existingObject.test.ts",
    file: "provider/core/postOnce.ts",
    find: "const missing = missingIn(attempt, shared, gone);",
    replace: "const missing: string[] = [];",
  },
  {
    name: "keep an object in use",
    what: "a pending deletion deletes an object that a resource of the program keeps or has adopted",
    by: ["runs", "walk"],
    test: "test/core/decideDelete.test.ts",
    file: "provider/core/decideDelete.ts",
    find: 'if (keeper !== undefined) return { is: "keep", by: keeper };',
    replace: "",
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
    file: "provider/core/busy.ts",
    find: "return count >= CONFIRMATION.refusal.agreeing;",
    replace: "return false;",
  },
  {
    name: "outputs that a change touches",
    what: "the preview of a switch of the pooler shows its old address as known",
    form: "native",
    file: "provider/kinds/service/plan.ts",
    find: 'steps: switchPooler, touches: ["connectionPooler"] }',
    replace: "steps: switchPooler, touches: [] }",
  },
  {
    name: "save the id after a Ctrl-C",
    what: "a create that is told to end forgets the id",
    form: "native",
    file: "provider/core/leftInState.ts",
    find: "throw isUntouched ? asUntouched(run, error) : asPartial(run, error);",
    replace:
      "throw run.context.signal.aborted ? error : isUntouched ? asUntouched(run, error) : asPartial(run, error);",
  },
  ...(
    [
      ["wanted", "an object that is to be adopted", "if (claimant !== undefined) return"],
      ["protected", "an object that its entry protects", 'if (protectedBy === "entry") return'],
      ["other entry", "an object that another entry protects", 'if (protectedBy === "otherEntry") return'],
      ["stopped", "an object that an earlier version was to stop and leave", "if (facts.stopsOnDelete) return"],
      ["program", "an object that the program protects by now", 'if (protectedBy === "program") return'],
      ["read", "an object in whose place the program reads another one", "if (facts.isReader) return"],
      ["parts", "an object whose parts stay in the state", "if (facts.parts !== undefined && facts.parts.length > 0)"],
      ["owner", "a part of a protected object that goes too", 'if (owner?.is === "protected") return'],
      [
        "owner's tag",
        "a part of an object that is tagged PROD",
        'if (owner?.is === "byTag" && tag?.is === "production")',
      ],
      [
        "after failure",
        "an object that the program may only not have reached",
        "if (facts.failed !== undefined) return",
      ],
      ["unshared", "an object of which another provider cannot tell", "if (facts.unshared !== undefined) return"],
      ["tag", "an object that is tagged PROD", 'if (facts.isRefusedByTag && tag?.is === "production")'],
      ["unread", "an object whose tag nobody could read", 'if (tag?.is === "unreadable" && '],
    ] as const
  ).map(([name, what, find]): Mutant => ({
    name: `delete rule: ${name}`,
    what: `a delete takes ${what}`,
    by: UNSEEN_BY_WALK.has(name) ? [] : ["walk"],
    test: "test/core/decideDelete.test.ts",
    file: "provider/core/decideDelete.ts",
    find,
    replace: find.replace(/if \(/, "if (false && "),
  })),
  ...evidence(),
  ...lastLooks(),
  ...answers(),
  ...intentions(),
  ...identities(),
];

/** Each line of evidence that an object is gone, or is the one of the state, without which the next decision rests on less. */
function evidence(): Mutant[] {
  const presence = {
    test: "test/core/presence.test.ts",
    file: "provider/core/presence.ts",
  };
  const rows: readonly (Omit<Mutant, "test"> & { test: string })[] = [
    {
      ...presence,
      name: "DELETED",
      what: "an object that the server calls DELETED is there",
      find: 'return isDeleted ? new Absence("deleted") :',
      replace: "return false ? undefined as never :",
    },
    {
      ...presence,
      name: "second 404",
      what: "one 404 after an accepted delete is enough",
      find: "const alone = isTimeUp ? await readAlone() : undefined;",
      replace: "const alone = isTimeUp && !isAccepted ? await readAlone() : undefined;",
    },
    {
      ...presence,
      name: "404 at the end",
      what: "an object that lists lack is gone, although it answers by its id",
      find: "const alone = isTimeUp ? await readAlone() : undefined;",
      replace: "const alone = isAccepted ? await readAlone() : undefined;",
    },
    {
      ...presence,
      name: "list after it",
      what: "a list that began before the last 404 proves an absence",
      find: "const options = { maxAgeMs: session.clock.now() - sinceMs - 1, deadlineMs };",
      replace: "const options = { maxAgeMs: Infinity, deadlineMs };",
    },
    {
      ...presence,
      name: "cut list",
      what: "a list proves an absence that lacks what answers by its id",
      find: "return unlisted === undefined ? undefined : listIsCut(session, unlisted);",
      replace: "return undefined;",
    },
    {
      ...presence,
      name: "half a minute",
      what: "a moment of 404s and of lists that lack it is believed",
      find: 'return session.clock.now() - sinceMs >= doubtMs(session, "gone") ?',
      replace: "return sinceMs > -1 ?",
    },
    {
      ...presence,
      name: "hidden with its parent",
      what: "an accepted delete is proven by a parent that is hidden",
      find: "const isShort = isAccepted && found !== undefined;",
      replace: "const isShort = isAccepted;",
    },
    {
      ...presence,
      name: "listed after it",
      what: "an object is gone that a list still has",
      find: "if (list.some((item) => item.id === id) || unreadable.some((item) => item.id === id)) {",
      replace: "if (false) {",
    },
    {
      ...presence,
      name: "unreadable entry",
      what: "an object is gone although an entry that cannot be read may be it",
      find: "if (mayHold(list, id)) {",
      replace: "if (false) {",
    },
    {
      ...presence,
      name: "what only the state knows",
      what: "a list that lacks another object of the state proves an absence",
      find: "const others = isThorough",
      replace: "const others = false",
    },
    {
      ...presence,
      name: "the time in which a list could show it",
      what: "the time in which what a part is in was not shown counts for the part",
      test: "test/core/absenceGaps.test.ts",
      find: "watch(canShow(resource, found))",
      replace: "watch(true)",
    },
    {
      name: "a list that shows nothing",
      what: "the time in which lists showed nothing at all counts for each object",
      test: "test/core/absenceGaps.test.ts",
      file: "provider/core/sightings.ts",
      find: "if (isEmpty(all)) {",
      replace: "if (false) {",
    },
    {
      ...presence,
      name: "listed, and not to be read",
      what: "an object that a list shows is missing while its own read fails",
      find: "if (read?.now !== undefined) return",
      replace: "if (false && read?.now !== undefined) return",
    },
    {
      ...presence,
      name: "parent that shows nothing",
      what: "a part is gone because of a parent that shows nothing of it",
      find: "if (canShow(resource, own)) return undefined;",
      replace: "if (own !== undefined) return undefined;",
    },
    {
      ...presence,
      name: "parent that is listed",
      what: "a part is gone whose parent is listed, and answers 404",
      test: "test/core/replicaSetRemoval.test.ts",
      find: 'if (seen?.is === "shown") return stillListed(',
      replace: "if (false) return stillListed(",
    },
    {
      ...presence,
      name: "long gap between lists",
      what: "an outage between two lists counts as watched",
      test: "test/core/absenceGaps.test.ts",
      file: "provider/core/patience.ts",
      find: "return Math.max((DOUBT_MS.gone / 3) * timeScale, 3 * intervalMs);",
      replace: "return Number.POSITIVE_INFINITY;",
    },
    {
      name: "what a list may hold",
      what: "an object is missing from a list with an entry that cannot be read",
      test: "test/core/snapshots.test.ts",
      file: "provider/core/sightings.ts",
      find: "|| last.byId.has(id) || mayHold(last.all, id)) return undefined;",
      replace: "|| last.byId.has(id)) return undefined;",
    },
    {
      name: "what a cut list lacks",
      what: "an object is missing that has answered although lists lack it",
      test: "test/core/cutLists.test.ts",
      file: "provider/core/sightings.ts",
      find: "if (hidden.has(id)) return undefined;",
      replace: "",
    },
    {
      name: "404 that nobody has seen",
      what: "one 404 to a read by its id frees the name of what lists lack",
      test: "test/core/cutLists.test.ts",
      file: "provider/core/postOnce.ts",
      find: 'presence.is === "none" ? await provePresence(target) : presence]',
      replace: "presence]",
    },
    {
      name: "404s of a member",
      what: "a member of a VPC is gone that lists lack, and whose id has just answered 404",
      test: "test/core/cutLists.test.ts",
      file: "provider/kinds/vpc/definition.ts",
      find: "Math.max(sinceMs, reader.absentSinceMs(id) ?? sinceMs)",
      replace: "reader.absentSinceMs(id) ?? sinceMs",
    },
    {
      name: "parent that was listed",
      what: "a part is gone whose parent lists have shown until a moment ago",
      test: "test/core/cutLists.test.ts",
      file: "provider/core/presence.ts",
      find: "if (seen === undefined) return tooShort(",
      replace: "if (false) return tooShort(",
    },
    {
      name: "old note of a delete",
      what: "a delete that an earlier run sent explains an absence for ever",
      test: "test/core/absenceGaps.test.ts",
      file: "provider/core/presence.ts",
      find: "Math.abs(session.client.serverTime() - notedMs) <= resource.deadlinesMs({}).delete ||",
      replace: "!Number.isNaN(notedMs) ||",
    },
    {
      name: "answered before the list",
      what: "an object is missing from a list that began before its last change",
      test: "test/core/snapshots.test.ts",
      file: "provider/core/sightings.ts",
      find: "if (last === undefined || touched.has(id) ||",
      replace: "if (last === undefined ||",
    },
    {
      ...presence,
      name: "all gone",
      what: "an object is gone from a project that shows nothing at all",
      find: "isShort ? undefined : await whyNotAll(target, found);",
      replace: "undefined;",
    },
    {
      name: "what an error has named",
      what: "what an error of an earlier run has named counts as unknown, so that its name is free in an outage",
      test: "test/laws/absenceLostCreate.test.ts",
      file: "provider/core/postOnce.ts",
      find: ", ...notedOf(attempt).ids]",
      replace: "]",
    },
    ...[
      [
        "what a list shows after a lost answer",
        "lost.ts",
        "named([...fresh, ...hidden].flatMap(({ id }) => id ?? []));",
        "",
      ],
      ["what was made although it was refused", "postOnce.ts", 'mayBeMade ||= outcomeOf(error) !== "refused";', ""],
      [
        "lists that show nothing",
        "name.ts",
        "const watchedMs = clock.now() - watch(couldShow);",
        "const watchedMs = clock.now() - watch(true);",
      ],
      [
        "what was noted, in no readable row",
        "postOnce.ts",
        "for (const id of noted) {",
        "for (const id of [] as string[]) {",
      ],
      ["what the state has", "name.ts", "if (notedOf(naming).ids.includes(target.id))", "if (false)"],
    ].map(([name = "", file = "", find = "", replace = ""]) => ({
      name: `the note of a create: ${name}`,
      what: "the note of a create does not keep to what may be its object",
      test: "test/laws/absenceLostCreate.test.ts",
      file: `provider/core/${file}`,
      find,
      replace,
    })),
    {
      name: "a list row that leaves a member out",
      what: "a row of a list that does not show the VPC is enough while the object's own read answers 404",
      test: "test/core/staleAnswers.test.ts",
      file: "provider/core/patience.ts",
      find: "return isPart(row) ? reader.fetch(id, options.deadlineMs) : row;",
      replace: "return (isPart(row) ? await reader.fetch(id, options.deadlineMs) : row) ?? row;",
    },
    {
      name: "a list row after a move",
      what: "a row of a list that leaves an address out is recorded after a move",
      test: "test/core/staleAnswers.test.ts",
      file: "provider/core/waitForObject.ts",
      find: "if (hasMoved) return false;",
      replace: "",
    },
    {
      name: "a parent by its id",
      what: "a part is gone by a list that shows what it is in",
      test: "test/core/cutLists.test.ts",
      file: "provider/kinds/readReplicaSet/definition.ts",
      find: "{ ...options, isAlone: true }",
      replace: "limits",
    },
    {
      name: "a delete that is accepted",
      what: "a delete counts as accepted whatever its answer says",
      test: "test/api/operations/answer.test.ts",
      file: "provider/api/operations/answer.ts",
      find: 'if (!("isEmpty" in body)) throw',
      replace: "if (false) throw",
    },
    {
      name: "a page",
      what: "one page of a list is the whole",
      test: "test/api/operations/answer.test.ts",
      file: "provider/api/operations/answer.ts",
      find: "if (isPage(body)) throw listIsPaged(subject);",
      replace: "",
    },
    {
      name: "identity",
      what: "another object under the id of the state is changed and deleted",
      test: "test/laws/absenceIdentity.test.ts",
      file: "provider/core/presence.ts",
      find: "if (isSameTime(created, item.created)) return;",
      replace: "if (true) return;",
    },
    {
      name: "what has recovered",
      what: "an object is deleted because it had failed, although it works again",
      test: "test/laws/absenceIdentity.test.ts",
      file: "provider/core/delete.ts",
      find: 'const isReason = view.claimsOn(object).replaced === "as failed";',
      replace: "const isReason = false;",
    },
    {
      name: "note of a lost create",
      what: "the name of a create that lost its answer is free in the next run",
      test: "test/laws/absenceLostCreate.test.ts",
      file: "provider/core/postOnce.ts",
      find: "const leftMs = posted === undefined ? await msInDoubt(seen) : 0;",
      replace: "const leftMs = 0;",
    },
    {
      name: "place in a VPC",
      what: "a service that does not show where it is counts as in no VPC",
      test: "test/core/vpcMembers.test.ts",
      file: "provider/kinds/vpc/definition.ts",
      find: 'const isOutside = place === "elsewhere" ||',
      replace: 'const isOutside = place !== "inside" ||',
    },
    {
      name: "what the list of services lacks",
      what: "a service that the state has and no list shows counts as in no VPC",
      test: "test/core/vpcMembers.test.ts",
      file: "provider/kinds/vpc/definition.ts",
      find: "return asMember(item);",
      replace: "return undefined;",
    },
    {
      name: "a row in the list",
      what: "a service that its row shows in the VPC counts as outside by an older read of its own",
      test: "test/core/vpcMembers.test.ts",
      file: "provider/kinds/vpc/definition.ts",
      find: 'if (placeIn(row, vpcId) === "inside")',
      replace: "if (false)",
    },
    {
      name: "no gap",
      what: "the time in which no list was answered counts as watched",
      test: "test/core/absenceGaps.test.ts",
      file: "provider/domain/listed.ts",
      find: "Math.min(Math.max(0, nowMs - lastMs), gapMs)",
      replace: "Math.max(0, nowMs - lastMs)",
    },
    {
      name: "a deletion that failed",
      what: "the note of a delete whose object stays explains an absence of a later run",
      test: "test/core/absenceGaps.test.ts",
      file: "provider/core/removeAndWait.ts",
      find: "if (over.isBelieved(isGoing, CONFIRMATION.noEffect))",
      replace: "if (false)",
    },
  ];
  return rows.map((row) => ({ ...row, name: `evidence: ${row.name}` }));
}

/** The looks right before a call, each without one of its parts. */
function lastLooks(): Mutant[] {
  const test = "test/core/lastLook.test.ts";
  const removal = { test, file: "provider/core/removeAndWait.ts" };
  return [
    {
      name: "last look: tag",
      what: "a delete rests on the tag that an earlier try has read",
      test,
      file: "provider/core/delete.ts",
      find: "const reading = await tags.next(turn);",
      replace:
        "const before = tags as { known?: Awaited<ReturnType<typeof tags.next>> };" +
        "const reading = before.known?.is === 'known' ? before.known : (before.known = await tags.next(turn));",
    },
    {
      ...removal,
      name: "last look: members",
      what: "a VPC is deleted on lists that were read before the turn of its call",
      test: "test/core/schedules.test.ts",
      find: "const move = await look(turn);",
      replace: 'const move = { is: "go", seen: undefined } as const;',
    },
    {
      ...removal,
      name: "last look: what blocks",
      what: "a VPC is deleted although the lists show what is in it",
      find: 'if (found.length > 0) return { is: "busy"',
      replace: 'if (false) return { is: "busy"',
    },
    {
      name: "last look: what is hidden",
      what: "a VPC is deleted while the server shows neither it nor what is in it",
      test: "test/core/vpcMembers.test.ts",
      file: "provider/kinds/vpc/definition.ts",
      find: "return { found: undefined, listedMs };",
      replace: "return { found: [], listedMs };",
    },
    {
      name: "last look: age of the members",
      what: "a VPC is deleted on lists that became old while services were read one after the other",
      test: "test/core/vpcMembers.test.ts",
      file: "provider/kinds/vpc/definition.ts",
      find: "isInUse || clock.now() - listedMs <= OLDEST_LOOK_MS",
      replace: "isInUse || clock.now() - listedMs <= Infinity",
    },
    {
      name: "last look: what the state has",
      what: "a create is sent on a list that lacks another object of the state",
      test: "test/core/existingObject.test.ts",
      file: "provider/core/postOnce.ts",
      find: "...idsInState(context, resource.kind, scope), ",
      replace: "",
    },
    {
      name: "last look: new object of the name",
      what: "a create is sent beside what somebody has made meanwhile",
      test,
      file: "provider/core/postOnce.ts",
      find: "return isNew || isHidden || isShort ?",
      replace: "return isShort && !isNew && !isHidden ?",
    },
    {
      name: "last look: age of the list",
      what: "a create rests on a list of any age",
      test,
      file: "provider/core/postOnce.ts",
      find: "list({ answeredWithinMs: OLDEST_LOOK_MS, deadlineMs, turn })",
      replace: "list({ answeredWithinMs: Infinity, deadlineMs, turn })",
    },
    {
      name: "last look: age of the observation",
      what: "a step rests on what was read before the server asked for a pause",
      test,
      file: "provider/core/converge.ts",
      find: "const isNew = ageMs <= Math.max(pace.intervalMs, OLDEST_OBSERVATION_MS);",
      replace: "const isNew = progress.observed !== undefined;",
    },
    {
      name: "last look: one call for each",
      what: "a call that a pause held back is sent again without a look",
      test,
      file: "provider/core/send.ts",
      find: "const seen = await change.look(gathered, turn);",
      replace:
        "const before = change as { seen?: Awaited<ReturnType<typeof change.look>> };" +
        "const seen = (before.seen ??= await change.look(gathered, turn));",
    },
  ];
}

/** The rows of the three answers, each with the other meaning, and when a row counts. */
function answers(): Mutant[] {
  const file = "provider/api/operations/objects.ts";
  const test = "test/api/operations/optionalMembers.test.ts";
  const swapped = (where: string, member: string, row: string, is: Meaning): Mutant => ({
    name: `answer: ${member}`,
    what: `no value of ${member} ${is === "none" ? "says nothing" : "is taken for none"}`,
    test,
    file: where,
    find: row,
    replace: row
      .replace(/or(?:None|Else)\(|notShown\(/, is === "none" ? "notShown(" : "orNone(")
      .replace(/, \(.*\),$/, "),"),
  });
  // Where the file does not import the other one.
  const spelled = (where: string, member: string, row: string, is: Meaning): Mutant => ({
    ...swapped(where, member, row, is),
    replace: row.replace(
      /\w+\((\w+)(?:, ("\w+"))?\)/,
      `{ on: [$2], schema: $1.nullish(), absent: ${is === "none" ? "undefined" : "() => null as never"} }`,
    ),
  });
  // What stands in the place of the member.
  const placed = (where: string, member: string, find: string, to: string): Mutant => ({
    name: `answer: ${member}`,
    what: `no value of ${member} has another meaning`,
    test: "test/core/notShown.test.ts",
    file: where,
    find,
    replace: to,
  });
  const service = "provider/kinds/service/answer.wire.ts";
  const set = "provider/kinds/readReplicaSet/wire.ts";
  const vpc = "provider/kinds/vpc/wire.ts";
  const peering = "provider/kinds/peering/wire.ts";
  const wire = "provider/api/operations/wire.ts";
  const outside = "endpoint: orElse(endpoint, ({ vpcEndpoint: inVpc }) => (inVpc ? null : undefined)),";
  const cpu = "cpuMillis: orElse(notZero, ({ memoryGbs = null }) => (memoryGbs === null ? null : undefined)),";
  const memory = "memoryGbs: orElse(notZero, ({ cpuMillis = null }) => (cpuMillis === null ? null : undefined)),";
  return [
    placed(service, "vpcEndpoint", "(isReachable(open) ? null : undefined)", "undefined"),
    placed(service, "vpcEndpoint without an address", "(isReachable(open) ? null : undefined)", "null"),
    swapped(service, "endpoint in a VPC", outside, "none"),
    swapped(service, "endpoint outside of a VPC", outside, "notShown"),
    placed(service, "connectionPooler", "(isReachable(open) || isReachable(inVpc)) ? null : undefined", "undefined"),
    placed(service, "connectionPooler of a service that does not run", "isServiceReady(status) && (", "("),
    swapped(
      service,
      "haReplicas",
      "haReplicas: orElse(some(haShape), () => ({ replicaCount: 0, syncReplicaCount: 0 })),",
      "none",
    ),
    ...["environment", "forkedFrom", "initialPassword", "dataTieringEnabled", "metrics"].map((member) =>
      swapped(service, member, `${member}: notShown(`, "notShown"),
    ),
    swapped(service, "logExporterId", "logExporterId: orNone(", "none"),
    swapped(service, "metricExporterId", "metricExporterId: orNone(", "none"),
    swapped(
      service,
      "syncReplicaCount",
      "syncReplicaCount: orElse(z.number(), ({ replicaCount }) => (replicaCount === undefined ? undefined : 0)),",
      "none",
    ),
    swapped(service, "cpuMillis", cpu, "none"),
    swapped(service, "memoryGbs", memory, "none"),
    swapped(service, "one size", memory, "notShown"),
    ...["replicaCount", "spec", "volumeType", "vpcId", "serviceId", "projectId", "isStandby"].map((member) =>
      swapped(service, member, `${member}: notShown(`, "notShown"),
    ),
    ...["memoryMb", "milliCpu", "storageMb"].map((member) =>
      swapped(service, member, `${member}: notShown(`, "notShown"),
    ),
    spelled(wire, "host", "host: notShown(word),", "notShown"),
    spelled(wire, "port", "port: notShown(notZero),", "notShown"),
    placed(set, "connectionPooler of a set", "own === undefined ? undefined : null", "undefined"),
    spelled(set, "endpoint of a set", "endpoint: notShown(endpoint),", "notShown"),
    spelled(set, "environment of a set", 'environment: notShown(environmentTag, "metadata"),', "notShown"),
    spelled(vpc, "status of a VPC", "status: orNone(word),", "none"),
    swapped(peering, "status of a peering", "status: notShown(", "notShown"),
    swapped(peering, "provisionedId", "provisionedId: notShown(", "notShown"),
    swapped(peering, "errorMessage", "errorMessage: orNone(", "none"),
    {
      name: "answer: in a list",
      what: "a list that shows no object's member shows that none has it",
      test,
      file,
      find: "if (!isAlone && !objects.some(isShown)) continue;",
      replace: "",
    },
    {
      name: "answer: while it changes",
      what: "a change under way that hides a member shows that there is none",
      test,
      file,
      find: "objects.filter(isSettled).flatMap(partsOf)",
      replace: "objects.flatMap(partsOf)",
    },
  ];
}

/** What the processes of a run tell each other before they destroy or adopt. */
function intentions(): Mutant[] {
  const view = { test: "test/core/runView.test.ts", file: "provider/core/runView.ts" };
  const others = { test: "test/core/otherProvider.test.ts" };
  const files = { test: "test/host/runFiles.test.ts", file: "provider/host/runFiles.ts" };
  return [
    {
      ...others,
      name: "intention: told before a delete",
      what: "a delete begins before the other processes are told",
      file: "provider/core/delete.ts",
      find: 'view.tell(identity, { is: "intends to destroy", entry });',
      replace: "",
    },
    {
      ...others,
      name: "intention: told before an adoption",
      what: "what the other processes cannot be told is adopted",
      file: "provider/core/adopt.ts",
      find: "if (unshared !== undefined) throw",
      replace: "if (false && unshared !== undefined) throw",
    },
    {
      ...view,
      file: "provider/core/runLog.ts",
      name: "intention: an event of another version",
      what: "what another version of the package says is passed over",
      find: "      default:\n        this.isUnread = true;",
      replace: "      default:",
    },
    {
      ...others,
      name: "intention: folded at the wire",
      what: "a delete that has begun takes what is to be adopted since",
      file: "provider/core/delete.ts",
      find: "decide(reading.tag);",
      replace: "",
    },
    {
      ...others,
      name: "intention: a delete that was sent is waited for",
      what: "an adoption takes what a delete of the run has sent away",
      file: "provider/core/adopt.ts",
      find: "() => !view.claimsOn(object).isGoing",
      replace: "() => true",
    },
    {
      ...view,
      file: "provider/core/runLog.ts",
      name: "intention: of an adoption, in the log",
      what: "nobody hears of what is to be adopted",
      find: "this.#want(resource, event.objects);",
      replace: "",
    },
    {
      ...view,
      file: "provider/core/runLog.ts",
      name: "intention: of a delete, in the log",
      what: "nobody hears of what is to be deleted",
      find: "this.#learn(event.entry).deletes += 1;",
      replace: "this.#learn(event.entry);",
    },
    {
      ...view,
      name: "log: read on before each answer",
      what: "a question is answered without what the others have written since",
      find: "for (const event of this.#log.next()) {",
      replace: "for (const event of [] as unknown[]) {",
    },
    {
      ...files,
      name: "log: a whole line",
      what: "a line that is not written to its end is passed over for good",
      find: "file.offset += end;",
      replace: "file.offset += read;",
    },
    {
      ...files,
      name: "log: nothing is lost",
      what: "an event that could not be written is forgotten",
      find: "rest = Buffer.concat([rest, Buffer.from(`${JSON.stringify(event)}\\n`)]);",
      replace: "rest = Buffer.from(`${JSON.stringify(event)}\\n`);",
    },
    {
      ...files,
      name: "log: of this user alone",
      what: "events in a folder that others can write to are believed",
      find: " || !isPrivate(path.dirname(folder))) return;",
      replace: ") return;",
    },
    {
      ...files,
      name: "log: read after one's own event",
      what: "two processes that tell something at once do not see each other",
      find: "isCurrent = false;\n      return log.append(event);",
      replace: "return log.append(event);",
    },
  ];
}

/** Whose call it is, where no call says so. */
function identities(): Mutant[] {
  const urns = { test: "test/host/urns.test.ts", file: "provider/host/urns.ts" };
  return [
    {
      ...urns,
      name: "identity: a repeated create",
      what: "a create that an error hook repeats belongs to another resource",
      find: "?? failed.findLast(isEqual)",
      replace: "",
    },
    {
      ...urns,
      name: "identity: a check without a name",
      what: "a replacement after a check that hid its resource belongs to nobody",
      find: "urn ?? (isNew && key === lastCompared?.key ? lastCompared.urn : undefined)",
      replace: "urn",
    },
    {
      ...urns,
      name: "identity: a name of before",
      what: "a dependent is taken for the resource that has its old name by now",
      find: "(isOther ? undefined : old)",
      replace: "old",
    },
    {
      test: "test/core/runView.test.ts",
      file: "provider/core/runView.ts",
      name: "identity: what no rule places is kept",
      what: "an object whose check hid its resource counts as nobody's",
      find: 'const isKept = by === "program" ||',
      replace: 'const isKept = by === "program" || false &&',
    },
  ];
}

/** The mutants that unit tests must notice. */
export function mutantsOfTests(only: string | undefined): Mutant[] {
  return mutants.filter(({ name, test }) => test !== undefined && (only === undefined || name === only));
}

/** The mutants that one of the two must notice: all of them, or the one of that name. */
export function mutantsFor(detector: Detector, only: string | undefined): Mutant[] {
  const own = mutants.filter(({ by, test }) => (by ?? (test === undefined ? ["runs"] : [])).includes(detector));
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
