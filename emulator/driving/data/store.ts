// Stores a world in a folder: with each change the whole of it, in one file that is replaced at once and is on the disk
// before the answer is sent. So the file is whole, or the next start refuses it.

import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { storingIn, writeWhole } from "../../durable";
import { StorageError } from "../../errors";
import type { SettableClock } from "../../controlPlane/settings/clock";
import { createRandom } from "../../controlPlane/world/random";
import type { World } from "../../controlPlane/world/world";
import { type DataFolder, parsed, sealed } from "./folder";
import { fillWorld, textOf, worldDocument, writtenWorld } from "./worldDocument";

export interface Store {
  /** Writes the world if it has changed. It is on the disk when this returns; if it throws, the next call writes it. */
  save(): void;
  /** Throws a StorageError if earlier changes could not be written and still cannot. */
  close(): void;
}

const storedWorld = z.strictObject({
  clock: z.strictObject({ offsetMs: z.number(), frozenAt: z.number().optional() }),
  world: worldDocument,
});

/** Fills the world from the folder. Nothing is written before the first `save`. */
export function openStore(folder: DataFolder, world: World, clock: SettableClock): Store {
  const file = path.join(folder.path, "world.json");
  if (existsSync(file)) readBack(file, world, clock);
  let written = "";
  let isClosed = false;
  const newest = (): string => `${world.revision} ${world.ledger.length} ${textOf(clock.setting())}`;
  const save = (): void => {
    if (isClosed) throw new Error("the emulator is closed: what it keeps cannot be changed any more");
    if (written === newest()) return;
    folder.requireHeld();
    const text = textOf({ clock: clock.setting(), world: writtenWorld(world) });
    storingIn(folder.path, () => writeWhole(file, sealed(text)));
    written = newest();
  };
  return {
    save,
    close() {
      try {
        if (!isClosed) save();
      } catch (error) {
        if (!(error instanceof StorageError)) throw error;
        throw new StorageError(`${error.message}: the changes that were not written are lost`, { cause: error });
      } finally {
        isClosed = true;
      }
    },
  };
}

function readBack(file: string, world: World, clock: SettableClock): void {
  const kept = parsed(file, readFileSync(file, "utf8"), storedWorld);
  fillWorld(world, kept.world);
  world.random = createRandom(kept.world.randomSeed);
  clock.apply({ ...kept.clock, frozenAt: kept.clock.frozenAt });
}
