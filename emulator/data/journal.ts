// Stores a world in a folder. Each change is appended to a journal and is on the disk before its answer is sent; now
// and then the whole world is written to a checkpoint and a new journal begins.

import {
  closeSync,
  constants,
  existsSync,
  fdatasyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { z } from "zod";
import type { SettableClock } from "../settings/clock";
import { createRandom } from "../world/random";
import type { World } from "../world/world";
import { O_NOFOLLOW, storingIn, writeWhole } from "../durable";
import { StorageError } from "../errors";
import { type DataFolder, parsed } from "./folder";
import { fillWorld } from "./snapshot";
import {
  documentOf,
  forgetObject,
  putObjects,
  serviceDocument,
  textOf,
  vpcDocument,
  worldDocument,
  worldParts,
} from "./worldDocument";

export interface Journal {
  /**
   * Writes the changes since the last call. They are on the disk when this returns; if it throws, the next call writes
   * them too.
   */
  save(): void;
  /** Writes the whole world, for a change that affects everything. */
  saveAll(): void;
  /** Throws a StorageError if earlier changes could not be written and still cannot. */
  close(): void;
}

const clockSetting = z.strictObject({ offsetMs: z.number(), frozenAt: z.number().optional() });

const checkpoint = z.strictObject({ sequence: z.int(), clock: clockSetting, world: worldDocument });

const entry = z.strictObject({
  ...worldParts,
  sequence: z.int(),
  clock: clockSetting,
  gone: z.array(z.string()),
});

type Entry = z.output<typeof entry>;

/** A journal longer than this is merged into the checkpoint, unless the checkpoint itself is longer. */
const longestJournal = 4 * 1024 * 1024;

/** Fills the world from the folder, and stores every later change there. */
export function openJournal(folder: DataFolder, world: World, clock: SettableClock): Journal {
  const files = { checkpoint: path.join(folder.path, "world.json"), journal: path.join(folder.path, "journal.ndjson") };
  let sequence = readBack(files, world, clock);
  world.unsaved = new Set();
  const file = openAppendable(files.journal);
  const saved = { ids: 0, ledger: 0, clock: "", checkpointBytes: 0 };

  const noteSaved = (): void => {
    world.unsaved?.clear();
    Object.assign(saved, { ids: world.ids.size, ledger: world.ledger.length, clock: textOf(clock.setting()) });
  };
  const saveAll = (): void => {
    const text = textOf({ sequence, clock: clock.setting(), world: documentOf(world) });
    writeWhole(files.checkpoint, text);
    file.clear();
    saved.checkpointBytes = text.length;
    noteSaved();
  };
  const saveChanges = (): void => {
    const isSame = world.unsaved?.size === 0 && saved.ledger === world.ledger.length;
    if (isSame && saved.clock === textOf(clock.setting())) return;
    file.append(`${textOf({ sequence: sequence + 1, clock: clock.setting(), ...changesSince(world, saved) })}\n`);
    sequence += 1;
    noteSaved();
    if (file.bytes() > Math.max(longestJournal, saved.checkpointBytes)) unlessItFails(saveAll);
  };
  return retrying(folder, { saveAll, save: saveChanges, close: () => file.close() });
}

/**
 * What could not be written is written with the next change, or at the end. After a failed write of the whole world the
 * next write is whole too: the changes since do not apply to the world on the disk.
 */
function retrying(folder: DataFolder, journal: Journal): Journal {
  let failed: "changes" | "all" | undefined;
  const save = (what: "changes" | "all"): void => {
    failed = failed === "all" ? "all" : what;
    folder.requireHeld();
    storingIn(folder.path, () => (failed === "all" ? journal.saveAll() : journal.save()));
    failed = undefined;
  };
  storingIn(folder.path, () => journal.saveAll());
  return {
    save: () => save("changes"),
    saveAll: () => save("all"),
    close() {
      try {
        if (failed !== undefined) save(failed);
      } catch (error) {
        if (!(error instanceof StorageError)) throw error;
        throw new StorageError(`${error.message}: the changes that were not written are lost`, { cause: error });
      } finally {
        journal.close();
      }
    },
  };
}

/** The journal holds everything: if it cannot be shortened, it continues to grow. */
function unlessItFails(shorten: () => void): void {
  try {
    shorten();
  } catch (error) {
    process.emitWarning(`emulator: the journal cannot be shortened: ${String(error)}`);
  }
}

function changesSince(world: World, saved: { ids: number; ledger: number }): object {
  const changed = [...(world.unsaved ?? [])];
  const there = changed.filter(({ id }) => world.vpcs.has(id) || world.services.has(id));
  return {
    randomSeed: world.random.seedOfNext,
    ids: [...world.ids].slice(saved.ids),
    vpcs: there.flatMap((owner) => (owner.kind === "vpc" ? vpcDocument(owner) : [])),
    services: there.flatMap((owner) => (owner.kind === "service" ? serviceDocument(owner) : [])),
    gone: changed.filter((owner) => !there.includes(owner)).map(({ id }) => id),
    ledger: world.ledger.slice(saved.ledger),
  };
}

function readBack(files: { checkpoint: string; journal: string }, world: World, clock: SettableClock): number {
  if (!existsSync(files.checkpoint)) return 0;
  const kept = parsed(files.checkpoint, readFileSync(files.checkpoint, "utf8"), checkpoint);
  fillWorld(world, kept.world);
  world.random = createRandom(kept.world.randomSeed);
  clock.apply({ ...kept.clock, frozenAt: kept.clock.frozenAt });
  let last = kept.sequence;
  for (const change of entriesOf(files.journal)) {
    // The checkpoint may be newer than the journal beside it.
    if (change.sequence <= last) continue;
    last = change.sequence;
    replay(world, change);
    clock.apply({ ...change.clock, frozenAt: change.clock.frozenAt });
  }
  return last;
}

/** The last line may be incomplete: a crash interrupted the write, so its answer was never sent. */
function entriesOf(file: string): Entry[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n");
  lines.pop();
  const last = lines.at(-1);
  if (last !== undefined && !isJson(last)) lines.pop();
  return lines.map((line, index) => parsed(`${file}:${index + 1}`, line, entry));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function replay(world: World, change: Entry): void {
  for (const id of change.gone) forgetObject(world, id);
  putObjects(world, change);
  for (const id of change.ids) world.ids.add(id);
  world.ledger.push(...change.ledger.map((one) => ({ ...one, operation: one.operation, requestId: one.requestId })));
  world.random = createRandom(change.randomSeed);
}

/** An append-only file of whole records: the next record overwrites one that could not be written completely. */
function openAppendable(file: string) {
  const writable = openSync(file, constants.O_CREAT | constants.O_RDWR | O_NOFOLLOW, 0o600);
  let length = 0;
  let isTorn = false;
  let isClosed = false;
  // After the close, the descriptor number may belong to another file.
  const requireOpen = (): void => {
    if (isClosed) throw new Error("the emulator is closed: what it keeps cannot be changed any more");
  };
  return {
    bytes: () => length,
    append(text: string): void {
      requireOpen();
      const bytes = Buffer.from(text);
      if (isTorn) ftruncateSync(writable, length);
      isTorn = true;
      for (let written = 0; written < bytes.length;) {
        written += writeSync(writable, bytes, written, bytes.length - written, length + written);
      }
      fdatasyncSync(writable);
      isTorn = false;
      length += bytes.length;
    },
    clear(): void {
      requireOpen();
      ftruncateSync(writable, 0);
      fdatasyncSync(writable);
      length = 0;
      isTorn = false;
    },
    close(): void {
      if (!isClosed) closeSync(writable);
      isClosed = true;
    },
  };
}
