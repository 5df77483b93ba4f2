// Safeguards of the provider, each with the edit that switches it off. The invariant tests or a unit test must notice it.
import type { Form } from "../../provider/pulumi/stateNames.ts";

/** The runs in this process, or the walk over the engine. */
export type Detector = "runs" | "walk";

export interface Mutant {
  /** What the provider does without the safeguard. */
  what: string;
  file: string;
  /** The exact text to replace, which occurs once in the file. */
  find: string;
  replace: string;
  /** The file of unit tests that must notice it. */
  test?: string;
  /** Which of the two must notice it. */
  by: readonly Detector[];
  /** The form whose runs must notice it. Default: any. */
  form?: Form;
}

/** Without a replacement the `if` that the text begins never holds, and any other text is gone. */
type Edit = readonly [what: string, find: string, replace?: string];

const of = ([what, find, replace]: Edit): Pick<Mutant, "what" | "find" | "replace"> => ({
  what,
  find,
  replace: replace ?? (find.includes("if (") ? find.replace("if (", "if (false && ") : ""),
});

/** The edits of each file. */
type Edits = Readonly<Record<string, readonly Edit[]>>;

/** What random runs must notice. */
const OF_RUNS: Edits = {
  "provider/core/leftInState.ts": [
    [
      "a create that fails after its answer forgets the id",
      "throw isUntouched ? asUntouched(run, error) : asPartial(run, error);",
      "throw run.isNew ? error : isUntouched ? asUntouched(run, error) : asPartial(run, error);",
    ],
  ],
  "provider/core/postOnce.ts": [
    [
      "a create posts without reading the list first",
      "const isFree = duplicatesAmong(attempt, shared).length === 0",
      "const isFree = true || duplicatesAmong(attempt, shared).length === 0",
    ],
  ],
  "provider/core/send.ts": [
    [
      "a create is sent again after an unknown answer",
      'return outcome === "unknown" ? change.after(error, sent.seen)',
      'return outcome === "unknown" ? { is: "again", error }',
    ],
  ],
  "provider/core/converge.ts": [
    [
      "a settled status is proof enough of a change",
      "const missing = unprovenBy(live).flatMap(",
      "const missing = ([] as Step[]).flatMap(",
    ],
  ],
  "provider/core/protection.ts": [
    [
      "a delete ignores that the state stores the object as protected",
      "return state[PROTECTION] === true;",
      "return false;",
    ],
  ],
  "provider/core/createSession.ts": [
    [
      "changes of one service or VPC run side by side",
      "const mine = before.then(work);",
      "const mine = Promise.resolve().then(work);",
    ],
  ],
  "provider/api/operations/answer.ts": [
    [
      "a list fails as a whole when one of its items cannot be read",
      "const read = readItems(parse(someObjects, body, subject), items);",
      "const read = readItems(parse(someObjects, body, subject), items);" +
        ' if (read.unreadable.length > 0) throw contractError(subject, "an item cannot be read");',
    ],
  ],
  "provider/core/busy.ts": [
    [
      "a refusal counts as busy until the deadline, also where nothing is under way",
      "return count >= CONFIRMATION.refusal.agreeing;",
      "return false;",
    ],
  ],
};

/** The same, of the plugin's form. */
const OF_PLUGIN_RUNS: Edits = {
  "provider/core/leftInState.ts": [
    [
      "a create that is told to end forgets the id",
      "throw isUntouched ? asUntouched(run, error) : asPartial(run, error);",
      "throw run.context.signal.aborted ? error : isUntouched ? asUntouched(run, error) : asPartial(run, error);",
    ],
  ],
  "provider/kinds/service/plan.ts": [
    [
      "the preview of a switch of the pooler shows its old address as known",
      'steps: switchPooler, touches: ["connectionPooler"] }',
      "steps: switchPooler, touches: [] }",
    ],
  ],
};

/** What unit tests must notice, by the file of tests. */
const OF_TESTS: Readonly<Record<string, Edits>> = {
  "test/api/operations/answer.test.ts": {
    "provider/api/operations/answer.ts": [
      ["a delete counts as accepted whatever its answer says", 'if (!("isEmpty" in body)) throw'],
      ["one page of a list is the whole", "if (isPage(body)) throw listIsPaged(subject);"],
    ],
  },
  "test/api/operations/optionalMembers.test.ts": {
    "provider/api/operations/objects.ts": [
      [
        "a list that shows no object's member shows that none has it",
        "if (!isAlone && !objects.some(isShown)) continue;",
      ],
      [
        "a change under way that hides a member shows that there is none",
        "objects.filter(isSettled).flatMap(partsOf)",
        "objects.flatMap(partsOf)",
      ],
    ],
    "provider/api/operations/wire.ts": [
      [
        "an endpoint without a host has none",
        "host: notShown(word),",
        "host: { on: [], schema: word.nullish(), absent: () => null as never },",
      ],
    ],
    "provider/kinds/peering/wire.ts": [
      ["a peering that shows no status has none", "status: notShown(", "status: orNone("],
      ["a peering without an error shows nothing of it", "errorMessage: orNone(", "errorMessage: notShown("],
    ],
    "provider/kinds/readReplicaSet/wire.ts": [
      [
        "a set that shows no tag has none",
        'environment: notShown(environmentTag, "metadata"),',
        'environment: { on: ["metadata"], schema: environmentTag.nullish(), absent: () => null as never },',
      ],
    ],
    "provider/kinds/service/answer.wire.ts": [
      [
        "a service in a VPC shows nothing of a public address",
        "endpoint: orElse(endpoint, ({ vpcEndpoint: inVpc }) => (inVpc ? null : undefined)),",
        "endpoint: notShown(endpoint),",
      ],
      [
        "a service outside of a VPC has no public address while it shows none",
        "endpoint: orElse(endpoint, ({ vpcEndpoint: inVpc }) => (inVpc ? null : undefined)),",
        "endpoint: orNone(endpoint),",
      ],
      ["a service that shows no tag has none", "environment: notShown(", "environment: orNone("],
      ["a service without an exporter shows nothing of it", "logExporterId: orNone(", "logExporterId: notShown("],
      [
        "a service without replicas shows nothing of them",
        "haReplicas: orElse(some(haShape), () => ({ replicaCount: 0, syncReplicaCount: 0 })),",
        "haReplicas: notShown(some(haShape)),",
      ],
      [
        "no count of synchronous replicas says nothing",
        "syncReplicaCount: orElse(z.number(), ({ replicaCount }) => (replicaCount === undefined ? undefined : 0)),",
        "syncReplicaCount: notShown(z.number()),",
      ],
      [
        "a service without sizes shows nothing of them",
        "memoryGbs: orElse(notZero, ({ cpuMillis = null }) => (cpuMillis === null ? null : undefined)),",
        "memoryGbs: notShown(notZero),",
      ],
      [
        "a service that shows one size has no other",
        "memoryGbs: orElse(notZero, ({ cpuMillis = null }) => (cpuMillis === null ? null : undefined)),",
        "memoryGbs: orNone(notZero),",
      ],
    ],
    "provider/kinds/vpc/wire.ts": [
      [
        "a VPC of a server that shows no status shows nothing of it",
        "status: orNone(word),",
        "status: { on: [], schema: word.nullish(), absent: undefined },",
      ],
    ],
  },
  "test/core/absence.test.ts": {
    "provider/core/deleteFacts.ts": [
      [
        "a moment of 404s hides a tag that would refuse the delete",
        'if (answer === "missing" && source.isPatient) return { is: "missing" };',
      ],
    ],
    "provider/core/removeAndWait.ts": [
      [
        "before a delete that no server has accepted, a moment of 404s is believed",
        "await endBy(await provePresence(run));",
        "await endBy(await provePresence(run, { isAccepted: true }));",
      ],
      [
        "a delete fails because the object is being deleted already",
        "return !isGoing && [item, inside]",
        "return [item, inside]",
      ],
    ],
  },
  "test/core/absenceGaps.test.ts": {
    "provider/core/patience.ts": [
      [
        "an outage between two lists counts as watched",
        "return Math.max((DOUBT_MS.gone / 3) * timeScale, 3 * intervalMs);",
        "return Number.POSITIVE_INFINITY;",
      ],
    ],
    "provider/core/presence.ts": [
      [
        "the time in which what a part is in was not shown counts for the part",
        "watch(canShow(resource.parent !== undefined, found))",
        "watch(true)",
      ],
      [
        "a delete that an earlier run sent explains an absence for ever",
        "Math.abs(session.client.serverTime() - notedMs) <= resource.deadlinesMs({}).delete ||",
        "!Number.isNaN(notedMs) ||",
      ],
    ],
    "provider/core/removeAndWait.ts": [
      [
        "the note of a delete whose object stays explains an absence of a later run",
        "if (over.isBelieved(isGoing, CONFIRMATION.noEffect))",
      ],
    ],
    "provider/core/sightings.ts": [
      ["the time in which lists showed nothing at all counts for each object", "if (isEmpty(all)) {"],
    ],
    "provider/domain/listed.ts": [
      [
        "the time in which no list was answered counts as watched",
        "Math.min(Math.max(0, nowMs - lastMs), gapMs)",
        "Math.max(0, nowMs - lastMs)",
      ],
    ],
  },
  "test/core/cutLists.test.ts": {
    "provider/core/postOnce.ts": [
      [
        "one 404 to a read by its id frees the name of what lists lack",
        'presence.is === "none" ? await provePresence(target) : presence]',
        "presence]",
      ],
    ],
    "provider/core/presence.ts": [
      ["a part is gone whose parent lists have shown until a moment ago", "if (seen === undefined) return tooShort("],
    ],
    "provider/core/sightings.ts": [
      ["an object is missing that has answered although lists lack it", "if (hidden.has(id)) return undefined;"],
    ],
    "provider/kinds/readReplicaSet/definition.ts": [
      ["a part is gone by a list that shows what it is in", "{ ...options, isAlone: true }", "limits"],
    ],
    "provider/kinds/vpc/definition.ts": [
      [
        "a member of a VPC is gone that lists lack, and whose id has just answered 404",
        "Math.max(sinceMs, reader.absentSinceMs(id) ?? sinceMs)",
        "reader.absentSinceMs(id) ?? sinceMs",
      ],
    ],
  },
  "test/core/existingObject.test.ts": {
    "provider/core/postOnce.ts": [
      [
        "a create rests on a list that lacks a name which the list before it has shown",
        "const missing = missingIn(attempt, shared, gone);",
        "const missing: string[] = [];",
      ],
      [
        "a create is sent on a list that lacks another object of the state",
        "...idsInState(context, resource.kind, scope), ",
      ],
    ],
  },
  "test/core/lastLook.test.ts": {
    "provider/core/converge.ts": [
      [
        "a step rests on what was read before the server asked for a pause",
        "const isNew = ageMs <= Math.max(pace.intervalMs, OLDEST_OBSERVATION_MS);",
        "const isNew = progress.observed !== undefined;",
      ],
    ],
    "provider/core/delete.ts": [
      [
        "a delete rests on the tag that an earlier try has read",
        "const reading = await tags.next(turn);",
        "const before = tags as { known?: Awaited<ReturnType<typeof tags.next>> };const reading = before.known?.is === 'known' ? before.known : (before.known = await tags.next(turn));",
      ],
    ],
    "provider/core/postOnce.ts": [
      [
        "a create is sent beside what somebody has made meanwhile",
        "return isNew || isHidden || isShort ?",
        "return isShort && !isNew && !isHidden ?",
      ],
      [
        "a create rests on a list of any age",
        "list({ answeredWithinMs: OLDEST_LOOK_MS, deadlineMs, turn })",
        "list({ answeredWithinMs: Infinity, deadlineMs, turn })",
      ],
    ],
    "provider/core/removeAndWait.ts": [
      ["a VPC is deleted although the lists show what is in it", 'if (found.length > 0) return { is: "busy"'],
    ],
    "provider/core/send.ts": [
      [
        "a call that a pause held back is sent again without a look",
        "const seen = await change.look(gathered, turn);",
        "const before = change as { seen?: Awaited<ReturnType<typeof change.look>> };const seen = (before.seen ??= await change.look(gathered, turn));",
      ],
    ],
  },
  "test/core/lostAnswer.test.ts": {
    "provider/core/postOnce.ts": [
      [
        "a create whose answer is lost just fails",
        "return reportLost(attempt, { before, posted: posted ?? now(), cause, named });",
        "throw cause;",
      ],
    ],
  },
  "test/core/notShown.test.ts": {
    "provider/kinds/readReplicaSet/wire.ts": [
      ["a set without a pooler shows nothing of it", "own === undefined ? undefined : null", "undefined"],
    ],
    "provider/kinds/service/answer.wire.ts": [
      ["a service in no VPC shows nothing of one", "(isReachable(open) ? null : undefined)", "undefined"],
      ["a service that shows no address is in no VPC", "(isReachable(open) ? null : undefined)", "null"],
      [
        "a service without a pooler shows nothing of it",
        "(isReachable(open) || isReachable(inVpc)) ? null : undefined",
        "undefined",
      ],
      ["a service that does not run has no pooler while it shows none", "isServiceReady(status) && (", "("],
    ],
  },
  "test/core/otherProvider.test.ts": {
    "provider/core/adopt.ts": [
      ["what the other processes cannot be told is adopted", "if (unshared !== undefined) throw"],
      [
        "an adoption takes what a delete of the run has sent away",
        "() => !view.claimsOn(object).isGoing",
        "() => true",
      ],
    ],
    "provider/core/delete.ts": [
      [
        "a delete begins before the other processes are told",
        'view.tell(identity, { is: "intends to destroy", entry });',
      ],
      ["a delete that has begun takes what is to be adopted since", "decide(reading.tag);"],
    ],
  },
  "test/core/presence.test.ts": {
    "provider/core/presence.ts": [
      [
        "an object that the server calls DELETED is there",
        'return isDeleted ? new Absence("deleted") :',
        "return false ? undefined as never :",
      ],
      [
        "one 404 after an accepted delete is enough",
        "const alone = isTimeUp ? await readAlone() : undefined;",
        "const alone = isTimeUp && !isAccepted ? await readAlone() : undefined;",
      ],
      [
        "an object that lists lack is gone, although it answers by its id",
        "const alone = isTimeUp ? await readAlone() : undefined;",
        "const alone = isAccepted ? await readAlone() : undefined;",
      ],
      [
        "a list that began before the last 404 proves an absence",
        "const options = { maxAgeMs: session.clock.now() - sinceMs - 1, deadlineMs };",
        "const options = { maxAgeMs: Infinity, deadlineMs };",
      ],
      [
        "a list proves an absence that lacks what answers by its id",
        "return unlisted === undefined ? undefined : listIsCut(session, unlisted);",
        "return undefined;",
      ],
      [
        "a moment of 404s and of lists that lack it is believed",
        'return session.clock.now() - sinceMs >= doubtMs(session, "gone") ?',
        "return sinceMs > -1 ?",
      ],
      [
        "an accepted delete is proven by a parent that is hidden",
        "const isShort = isAccepted && found !== undefined;",
        "const isShort = isAccepted;",
      ],
      [
        "an object is gone that a list still has",
        "if (list.some((item) => item.id === id) || unreadable.some((item) => item.id === id)) {",
        "if (false) {",
      ],
      ["an object is gone although an entry that cannot be read may be it", "if (mayHold(list, id)) {"],
      [
        "a list that lacks another object of the state proves an absence",
        "const others = isThorough",
        "const others = false",
      ],
      ["an object that a list shows is missing while its own read fails", "if (read?.now !== undefined) return"],
      [
        "a part is gone because of a parent that shows nothing of it",
        "if (canShow(parent !== undefined, own)) return undefined;",
        "if (own !== undefined) return undefined;",
      ],
      [
        "an object is gone from a project that shows nothing at all",
        "isShort ? undefined : await whyNotAll(target, found);",
        "undefined;",
      ],
    ],
  },
  "test/core/replicaSetRemoval.test.ts": {
    "provider/core/presence.ts": [
      ["a part is gone whose parent is listed, and answers 404", 'if (seen?.is === "shown") return stillListed('],
    ],
    "provider/core/send.ts": [
      [
        "another change goes out while a delete may run whose answer was lost",
        'if (end.is !== "again" || !(heldUntilMs !== undefined || end.mayRun === true)) return end;',
        'if (end.is !== "again" || heldUntilMs === undefined) return end;',
      ],
    ],
  },
  "test/core/schedules.test.ts": {
    "provider/core/removeAndWait.ts": [
      [
        "a VPC is deleted on lists that were read before the turn of its call",
        "const move = await look(turn);",
        'const move = { is: "go", seen: undefined } as const;',
      ],
    ],
  },
  "test/core/snapshots.test.ts": {
    "provider/core/sightings.ts": [
      [
        "an object is missing from a list with an entry that cannot be read",
        "|| last.byId.has(id) || mayHold(last.all, id)) return undefined;",
        "|| last.byId.has(id)) return undefined;",
      ],
      [
        "an object is missing from a list that began before its last change",
        "if (last === undefined || touched.has(id) ||",
        "if (last === undefined ||",
      ],
    ],
  },
  "test/core/staleAnswers.test.ts": {
    "provider/core/patience.ts": [
      [
        "a row of a list that does not show the VPC is enough while the object's own read answers 404",
        "return isPart(row) ? reader.fetch(id, options.deadlineMs) : row;",
        "return (isPart(row) ? await reader.fetch(id, options.deadlineMs) : row) ?? row;",
      ],
    ],
    "provider/core/waitForObject.ts": [
      ["a row of a list that leaves an address out is recorded after a move", "if (hasMoved) return false;"],
    ],
  },
  "test/core/vpcMembers.test.ts": {
    "provider/kinds/vpc/definition.ts": [
      [
        "a service that the state has and no list shows counts as in no VPC",
        "return asMember(item);",
        "return undefined;",
      ],
      [
        "a service that its row shows in the VPC counts as outside by an older read of its own",
        'if (placeIn(row, vpcId) === "inside")',
      ],
      [
        "a service that does not show where it is counts as in no VPC",
        'const isOutside = place === "elsewhere" ||',
        'const isOutside = place !== "inside" ||',
      ],
      [
        "a VPC is deleted while the server shows neither it nor what is in it",
        "return { found: undefined, listedMs };",
        "return { found: [], listedMs };",
      ],
      [
        "a VPC is deleted on lists that became old while services were read one after the other",
        "isInUse || clock.now() - listedMs <= OLDEST_LOOK_MS",
        "isInUse || clock.now() - listedMs <= Infinity",
      ],
    ],
  },
  "test/host/runFiles.test.ts": {
    "provider/host/runFiles.ts": [
      ["a line that is not written to its end is passed over for good", "file.offset += end;", "file.offset += read;"],
      [
        "an event that could not be written is forgotten",
        "rest = Buffer.concat([rest, Buffer.from(`${JSON.stringify(event)}\\n`)]);",
        "rest = Buffer.from(`${JSON.stringify(event)}\\n`);",
      ],
      [
        "events in a folder that others can write to are believed",
        " || !isPrivate(path.dirname(folder))) return;",
        ") return;",
      ],
      [
        "two processes that tell something at once do not see each other",
        "isCurrent = false;\n      return log.append(event);",
        "return log.append(event);",
      ],
    ],
  },
  "test/host/urns.test.ts": {
    "provider/host/urns.ts": [
      ["a create that an error hook repeats belongs to another resource", "?? failed.findLast(isEqual)"],
      [
        "a replacement after a check that hid its resource belongs to nobody",
        "urn ?? (isNew && key === lastCompared?.key ? lastCompared.urn : undefined)",
        "urn",
      ],
      ["a dependent is taken for the resource that has its old name by now", "(isOther ? undefined : old)", "old"],
    ],
  },
  "test/laws/absenceIdentity.test.ts": {
    "provider/core/delete.ts": [
      [
        "an object is deleted because it had failed, although it works again",
        'const isReason = view.claimsOn(object).replaced === "as failed";',
        "const isReason = false;",
      ],
    ],
    "provider/core/presence.ts": [
      [
        "another object under the id of the state is changed and deleted",
        "if (isSameTime(created, item.created)) return;",
        "if (true) return;",
      ],
    ],
  },
  "test/laws/absenceLostCreate.test.ts": {
    "provider/core/sentCreates.ts": [
      [
        "a name is free by one list although an earlier create of it may have arrived",
        'const leftMs = Math.max(lateMs, doubtMs(session, "gone") - watchedMs);',
        "const leftMs = lateMs;",
      ],
      [
        "the name of a lost create is free by lists of which some show nothing",
        "const watchedMs = clock.now() - watch(couldShow);",
        "const watchedMs = clock.now() - watch(true);",
      ],
      ["the name of a lost create is free by lists that show nothing", "if (couldShow) return 0;", "return 0;"],
      ["the note of a create keeps what the state has", "if (readSent(naming).ids.includes(target.id))"],
    ],
    "provider/core/lost.ts": [
      [
        "the note of a create loses what a list shows after a lost answer",
        "named([...fresh, ...hidden].flatMap(({ id }) => id ?? []));",
      ],
    ],
    "provider/core/postOnce.ts": [
      [
        "what an error of an earlier run has named counts as unknown, so that its name is free in an outage",
        ", ...readSent(attempt).ids]",
        "]",
      ],
      [
        "the name of a create that lost its answer is free in the next run",
        "const leftMs = posted === undefined ? await msInDoubt(seen) : 0;",
        "const leftMs = 0;",
      ],
      ["the note of a create loses what is listed after a 429", " && !isShown", ""],
      ["the note of a create that was answered 409 is dropped", 'mayBeMade ||= outcomeOf(error) !== "refused";'],
      [
        "the note of a create loses what was noted, and stands in no readable row",
        "for (const id of noted) {",
        "for (const id of [] as string[]) {",
      ],
    ],
  },
};

/** The rules of the decision on deletes: `a delete takes …`. */
function deleteRules(by: readonly Detector[], rules: readonly (readonly [what: string, find: string])[]): Mutant[] {
  const [test, file] = ["test/core/decideDelete.test.ts", "provider/core/decideDelete.ts"];
  return rules.map(([what, find]) => ({ ...of([`a delete takes ${what}`, find]), by, test, file }));
}

function inFiles(files: Edits, more: Pick<Mutant, "by" | "test" | "form">): Mutant[] {
  return Object.entries(files).flatMap(([file, edits]) => edits.map((edit) => ({ ...of(edit), file, ...more })));
}

export const mutants: readonly Mutant[] = [
  ...inFiles(OF_RUNS, { by: ["runs"] }),
  ...inFiles(OF_PLUGIN_RUNS, { by: ["runs"], form: "native" }),
  ...deleteRules(
    ["runs", "walk"],
    [["an object that a resource of the program keeps or has adopted", "if (keeper !== undefined) return"]],
  ),
  ...deleteRules(
    ["walk"],
    [
      ["an object that is to be adopted", "if (claimant !== undefined) return"],
      ["an object that its entry protects", 'if (protectedBy === "entry") return'],
      ["an object that another entry protects", 'if (protectedBy === "otherEntry") return'],
      ["a part of a protected object that goes too", 'if (owner?.is === "protected") return'],
      ["a part of an object that is tagged PROD", 'if (owner?.is === "byTag" && tag?.is === "production")'],
      ["an object that is tagged PROD", 'if (facts.tagProtects && tag?.is === "production")'],
    ],
  ),
  // No walk comes to these. An inline program that has failed ends before Pulumi deletes anything.
  ...deleteRules(
    [],
    [
      ["an object that an earlier version was to stop and leave", "if (facts.stopsOnDelete) return"],
      ["an object that the program protects by now", 'if (protectedBy === "program") return'],
      ["an object in whose place the program reads another one", "if (facts.isReader) return"],
      ["an object whose parts stay in the state", "if (facts.parts !== undefined && facts.parts.length > 0)"],
      ["an object that the program may only not have reached", "if (facts.failed !== undefined) return"],
      ["an object of which another provider cannot tell", "if (facts.unshared !== undefined) return"],
      ["an object whose tag nobody could read", 'if (tag?.is === "unreadable" && '],
    ],
  ),
  ...Object.entries(OF_TESTS).flatMap(([test, files]) => inFiles(files, { by: [], test })),
];

/** Those whose words have this text in them; all without one. */
const chosenBy = (only: string | undefined): Mutant[] => mutants.filter(({ what }) => what.includes(only ?? ""));

/** The mutants that unit tests must notice. */
export function mutantsOfTests(only: string | undefined): Mutant[] {
  return chosenBy(only).filter(({ test }) => test !== undefined);
}

/** The mutants that one of the two must notice. */
export function mutantsFor(detector: Detector, only: string | undefined): Mutant[] {
  return chosenBy(only).filter(({ by }) => by.includes(detector));
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
