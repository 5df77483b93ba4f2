// Stores a world in the database of its folder: a row for each VPC and service with their parts, and one for all else.
// What a change writes does not depend on how many objects there are.

import { z } from "zod";
import { damaged, parsed, sealed } from "../../durable";
import type { ClockSetting, SettableClock } from "../../controlPlane/settings/clock";
import { createRandom } from "../../controlPlane/world/random";
import type { LedgerEntry, Service, Vpc } from "../../controlPlane/world/entities";
import { partsOf, rowOf } from "../../controlPlane/world/kinds";
import type { Change } from "../../controlPlane/world/timeline";
import { emptyWorld, type World } from "../../controlPlane/world/world";
import type { Database } from "./database";
import { fillWorld, format, textOf, type WorldDocument } from "./worldDocument";

export type Store = ReturnType<typeof openStore>;

const identity = z.strictObject({
  apiKey: z.string(),
  adminKey: z.string(),
  projectId: z.string(),
  seed: z.int(),
  /** Of the servers. */
  certificate: z.strictObject({ certificate: z.string(), key: z.string() }),
});

/** What stays the same as long as the folder exists, so that programs and states continue to work. */
export type Identity = z.infer<typeof identity>;

const common = z.strictObject({
  format: z.literal(format),
  identity,
  clock: z.custom<ClockSetting>(),
  world: z.custom<Pick<WorldDocument, "randomSeed" | "ids" | "ledger">>(),
  /** A row that is lost is missed. */
  objects: z.int(),
});

const commonKey = "world";

/** Of the ledger, this many entries are stored. */
const storedEntries = 100;

interface Stored {
  readonly common: z.infer<typeof common>;
  readonly document: WorldDocument;
}

/** What the folder has stored, if anything. Throws an Error if it is damaged. */
export function storedIn({ file, rows }: Database): Stored | undefined {
  const all = rows();
  const own = all.find(({ key }) => key === commonKey);
  if (!own && all.length === 0) return undefined;
  const found = parsed(file, own?.text ?? "", common);
  const objects = <T>(kind: string): T[] =>
    all.flatMap(({ key, text }) => (key.startsWith(`${kind} `) ? parsed(file, text, z.custom<T>()) : []));
  const document = { ...found.world, vpcs: objects<never>("vpc"), services: objects<never>("service") };
  if (document.vpcs.length + document.services.length !== found.objects) throw damaged(file);
  return { common: found, document };
}

/** Fills the world with what the folder has stored. Nothing is written before the first `save`. */
export function openStore(database: Database, own: Identity, world: World, clock: SettableClock) {
  const last: { clock?: string; entry?: LedgerEntry | undefined } = {};
  let isClosed = false;
  const fill = ({ common: { clock: setting }, document }: Stored): void => {
    fillWorld(world, document);
    world.touched.clear();
    world.random = createRandom(document.randomSeed);
    clock.apply(setting);
  };
  const isStored = (): boolean => world.touched.size === 0 && last.clock === textOf(clock.setting());
  const remember = (): void => {
    world.touched.clear();
    Object.assign(last, { clock: textOf(clock.setting()), entry: world.ledger.at(-1) });
  };
  function* changedRows(): Generator<readonly [string, string | undefined]> {
    yield [
      commonKey,
      sealed(
        textOf({
          format,
          identity: own,
          clock: { ...clock.setting(), latest: clock.now() },
          world: {
            randomSeed: world.random.seedOfNext,
            ids: [...world.ids],
            ledger: world.ledger.slice(-storedEntries),
          },
          objects: world.vpcs.size + world.services.size,
        }),
      ),
    ];
    for (const { kind, id } of world.touched) {
      const object: Service | Vpc | undefined = rowOf(kind).find(world, id);
      yield [`${kind} ${id}`, object && sealed(textOf(object))];
    }
  }
  /** Writes what has changed: it is on the disk when this returns. Throws a StorageError if it cannot. */
  const save = (): void => {
    if (isClosed) throw new Error("the emulator is closed: what it keeps cannot be changed any more");
    if (isStored()) return;
    database.write(changedRows());
    remember();
  };
  const found = storedIn(database);
  if (found) fill(found);
  return {
    save,
    /** The world is again as it was when it was last written, its running work aside. */
    undo(): void {
      if (isClosed) return;
      const kept = storedIn(database);
      const { entry } = last;
      const ledger = entry ? world.ledger.slice(0, world.ledger.indexOf(entry) + 1) : [];
      const carryOver = workOf(world);
      emptyWorld(world, 0);
      if (kept) fill(kept);
      carryOver();
      world.ledger = ledger;
      remember();
    },
    /** Throws a StorageError if the latest entries of the logs could not be written. */
    close(): void {
      try {
        if (!isClosed) save();
      } finally {
        isClosed = true;
      }
    },
  };
}

/** Work on servers is not stored. The returned function gives it to the changes that it belongs to. */
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
