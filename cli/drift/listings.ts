// The reads of a report. A listing is one read of a whole collection, shared by all readers at the time: a project of any size
// is read with a few requests. If something differs or is missing, it is read a second time.

import type { Client } from "../../provider/api/client";
import type { Clock } from "../../provider/domain/values/clock";
import { type Listed, listed, mayHold } from "../../provider/domain/listed";
import { absentIfMissing } from "../../provider/domain/errors";
import type { Reader, Readers, ReadLimits, Session, Source } from "../../provider/lifecycle/session/session";
import { sourcesOf } from "../../provider/lifecycle/session/sources";

interface Listing<O> {
  all: Listed<O>;
  byId: ReadonlyMap<string, O>;
  endedMs: number;
}

/** The listings of one collection, in order. Each is read on first use. */
interface Listings<O> {
  latest(): number;
  at(index: number): Promise<Listing<O>>;
  /** One object alone, read once for each listing that lacks it. */
  one(id: string, index: number): Promise<O | undefined>;
}

/** How long a failing read is retried. Short, so that the user soon learns that no report can be made. */
const READ_TIMEOUT_MS = 20_000;

function createListings<O>(source: Source<O>, clock: Clock, intervalMs: number): Listings<O> {
  const listings: Promise<Listing<O>>[] = [];
  const singles = new Map<string, Promise<O | undefined>>();
  const limits = (): ReadLimits => ({ deadlineMs: clock.now() + READ_TIMEOUT_MS });

  async function take(before: Promise<Listing<O>> | undefined): Promise<Listing<O>> {
    const earlier = await before;
    if (earlier !== undefined) await clock.sleep(Math.max(0, earlier.endedMs + intervalMs - clock.now()));
    const all = await source.all(limits());
    return { all, byId: new Map(all.map((item) => [source.idOf(item), item])), endedMs: clock.now() };
  }

  return {
    latest: () => Math.max(0, listings.length - 1),
    at(index) {
      const taken = listings[index] ?? take(listings[index - 1]);
      listings[index] = taken;
      return taken;
    },
    one(id, index) {
      const key = `${index} ${id}`;
      const read = singles.get(key) ?? source.one(id, limits());
      singles.set(key, read);
      return read;
    },
  };
}

/** The reads of one resource, which counts the listings that it has used. */
function readerOf<O>(listings: Listings<O>): Reader<O> {
  const seen = new Map<string, number>();

  /** A list may lag behind: the first listing that lacks an object is no proof, and at the second one it is read alone. */
  async function answer(id: string, index: number): Promise<O | undefined> {
    seen.set(id, index);
    // API: the list of what is inside a deleted object is gone with it.
    const listing = await absentIfMissing(listings.at(index));
    if (listing === undefined) return listings.one(id, index);
    const item = listing.byId.get(id);
    if (item !== undefined) return item;
    return index === 0 && !mayHold(listing.all, id) ? undefined : listings.one(id, index);
  }

  return {
    get: (id) => answer(id, seen.get(id) ?? listings.latest()),
    nextPoll: (id) => answer(id, Math.max(listings.latest(), (seen.get(id) ?? -1) + 1)),
    fetch: (id) => listings.one(id, listings.latest()),
    list: async () => (await listings.at(seen.size === 0 ? listings.latest() : Math.max(...seen.values()))).all,
    isMissingFromList: () => false,
    invalidate: () => undefined,
  };
}

/** Opens sessions that share their listings: one for each resource, so that each one reads twice where it must. */
export function shareListings(session: Session): () => Session {
  const { client, clock, pace } = session;
  const known = new Map<string, unknown>();
  const listingsOf = <O>(key: string, source: Source<O>): Listings<O> => {
    const listings = (known.get(key) as Listings<O> | undefined) ?? createListings(source, clock, pace.intervalMs);
    known.set(key, listings);
    return listings;
  };
  return () => {
    const readers = new Map<string, unknown>();
    const reader = <O>(key: string, source: Source<O>): Reader<O> => {
      const mine = (readers.get(key) as Reader<O> | undefined) ?? readerOf(listingsOf(key, source));
      readers.set(key, mine);
      return mine;
    };
    return withReaders(session, client, reader);
  };
}

type OpenReader = <O>(key: string, source: Source<O>) => Reader<O>;

function withReaders(session: Session, client: Client, reader: OpenReader): Session {
  const sources = sourcesOf(client);
  const readers: Readers = {
    services: (projectId) => reader(`services/${projectId}`, sources.services(projectId)),
    vpcs: (projectId) => reader(`vpcs/${projectId}`, sources.vpcs(projectId)),
    peerings: (projectId, vpcId) => reader(`peerings/${projectId}/${vpcId}`, sources.peerings(projectId, vpcId)),
  };
  // The proof that an object is gone asks the client for lists; the listing at hand is one.
  const lists: Pick<Client, keyof Readers> = {
    services: { ...client.services, list: ({ projectId }) => readers.services(projectId).list() },
    vpcs: { ...client.vpcs, list: ({ projectId }) => readers.vpcs(projectId).list() },
    peerings: { ...client.peerings, list: ({ projectId, vpcId }) => readers.peerings(projectId, vpcId).list() },
  };
  return { ...session, ...readers, client: { ...client, ...lists } };
}

/** A list that is gone with its container. */
export async function emptyIfMissing<O>(answer: Promise<Listed<O>>): Promise<Listed<O>> {
  return (await absentIfMissing(answer)) ?? listed([]);
}
