// Stores a world in a folder: with each change the whole of it, in one file that is replaced at once and is on the disk
// before the answer is sent. So the file is whole, or the next start refuses it.

import { z } from "zod";
import { StorageError } from "../../errors";
import type { SettableClock } from "../../controlPlane/settings/clock";
import { createRandom } from "../../controlPlane/world/random";
import type { LedgerEntry } from "../../controlPlane/world/entities";
import { partsOf } from "../../controlPlane/world/kinds";
import type { Change } from "../../controlPlane/world/timeline";
import { emptyWorld, type World } from "../../controlPlane/world/world";
import { type DataFolder, parsed, sealed } from "./folder";
import { fillWorld, format, textOf, writtenWorld, type WorldDocument } from "./worldDocument";

export type Store = ReturnType<typeof openStore>;

const identity = z.strictObject({ apiKey: z.string(), adminKey: z.string(), projectId: z.string(), seed: z.int() });

/** What stays the same as long as the folder exists, so that programs and states continue to work. */
export type Identity = z.infer<typeof identity>;

const storedWorld = z.strictObject({
  format: z.literal(format),
  identity,
  clock: z.strictObject({ offsetMs: z.number(), frozenAt: z.number().optional(), latest: z.number().optional() }),
  world: z.custom<WorldDocument>(),
});

/** Of the ledger, this many entries are stored: what is written with a change depends on the objects alone. */
const storedEntries = 100;

/** What the folder has stored, if anything. */
export const storedIn = ({ file, text }: DataFolder) =>
  text === undefined ? undefined : parsed(file, text, storedWorld);

/** Fills the world from the folder. Nothing is written before the first `save`. */
export function openStore(folder: DataFolder, own: Identity, world: World, clock: SettableClock) {
  const stored: { text: string; state?: string; lastEntry?: LedgerEntry | undefined } = { text: folder.text ?? "" };
  let isClosed = false;
  const fill = (): void => {
    const { clock: setting, world: document } = parsed(folder.file, stored.text, storedWorld);
    fillWorld(world, document);
    world.random = createRandom(document.randomSeed);
    clock.apply({ ...setting, frozenAt: setting.frozenAt });
  };
  const newest = (): string => `${world.revision} ${textOf(clock.setting())}`;
  /** Writes the world if it has changed: it is on the disk when this returns. Throws a StorageError if it cannot. */
  const save = (): void => {
    if (isClosed) throw new Error("the emulator is closed: what it keeps cannot be changed any more");
    if (stored.state === newest()) return;
    const setting = { ...clock.setting(), latest: clock.now() };
    const document = writtenWorld(world, world.ledger.slice(-storedEntries));
    const text = sealed(textOf({ format, identity: own, clock: setting, world: document }));
    folder.write(text);
    Object.assign(stored, { text, state: newest(), lastEntry: world.ledger.at(-1) });
  };
  if (folder.text !== undefined) fill();
  return {
    save,
    /** The world is again as it was when it was last written, its running work aside. */
    undo(): void {
      const { lastEntry } = stored;
      const ledger = lastEntry ? world.ledger.slice(0, world.ledger.indexOf(lastEntry) + 1) : [];
      const carryOver = workOf(world);
      emptyWorld(world, 0);
      fill();
      carryOver();
      world.ledger = ledger;
      stored.state = newest();
    },
    /** Throws a StorageError if something could not be written. */
    close(): void {
      try {
        if (!isClosed) save();
      } catch (error) {
        if (!(error instanceof StorageError)) throw error;
        throw new StorageError(`${error.message}: the latest entries of the logs are lost`, { cause: error });
      } finally {
        isClosed = true;
      }
    },
  };
}

/** Work on servers is not in the document. The returned function gives it to the changes that it belongs to. */
function workOf(world: World): () => void {
  const changes = (): { key: string; change: Change<unknown> }[] =>
    [...world.services.values()]
      .flatMap((service) => [service, ...partsOf(service)])
      .flatMap(({ kind, id, timeline }) =>
        timeline.changes.map((change) => ({ key: `${kind} ${id} ${change.at}`, change })),
      );
  const before = new Map(changes().map(({ key, change: { work, passing } }) => [key, { work, passing }]));
  return () => changes().forEach(({ key, change }) => Object.assign(change, before.get(key)));
}
