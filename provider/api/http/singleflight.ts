// Callers who ask the same question at the same moment share one answer.

export interface Flights {
  /** Joins the flight of that name or starts it. A caller who gives up leaves it to the others. */
  share<T>(key: string, start: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Those who ask from now on start anew: what is under way may have been answered before the last change. */
  forget(): void;
}

interface Flight {
  result: Promise<unknown>;
  isOver: boolean;
  passengers: number;
  controller: AbortController;
}

export function createFlights(): Flights {
  let flights = new Map<string, Flight>();

  const takeOff = (key: string, start: (signal: AbortSignal) => Promise<unknown>): Flight => {
    const controller = new AbortController();
    const flight: Flight = { result: start(controller.signal), isOver: false, passengers: 0, controller };
    const land = (): void => {
      flight.isOver = true;
      if (flights.get(key) === flight) flights.delete(key);
    };
    flight.result.then(land, land);
    flights.set(key, flight);
    return flight;
  };

  const ride = async <T>(key: string, flight: Flight, signal?: AbortSignal): Promise<T> => {
    flight.passengers += 1;
    try {
      return (await abortedOr(flight.result, signal)) as T;
    } finally {
      flight.passengers -= 1;
      if (flight.passengers === 0) {
        if (flights.get(key) === flight) flights.delete(key);
        if (!flight.isOver) flight.controller.abort();
      }
    }
  };

  return {
    share: async (key, start, signal) => {
      signal?.throwIfAborted();
      return ride(key, flights.get(key) ?? takeOff(key, start), signal);
    },
    forget: () => {
      flights = new Map();
    },
  };
}

async function abortedOr<T>(result: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (signal === undefined) return result;
  let release = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    signal.addEventListener("abort", onAbort, { once: true });
    release = () => signal.removeEventListener("abort", onAbort);
  });
  try {
    return await Promise.race([result, aborted]);
  } finally {
    release();
  }
}
