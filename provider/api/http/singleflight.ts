// Concurrent callers of one GET share one request and its answer.

import { orAborted } from "../../domain/values/abort";

export interface Flights {
  /** Joins the request of the key or starts it. A caller that aborts leaves the request to the others. */
  share<T>(key: string, start: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Later callers start a new request: one under way may have been answered before the last change. */
  forget(): void;
}

interface Flight {
  result: Promise<unknown>;
  isOver: boolean;
  callers: number;
  controller: AbortController;
}

export function createFlights(): Flights {
  let flights = new Map<string, Flight>();

  const startFlight = (key: string, start: (signal: AbortSignal) => Promise<unknown>): Flight => {
    const controller = new AbortController();
    const flight: Flight = { result: start(controller.signal), isOver: false, callers: 0, controller };
    const land = (): void => {
      flight.isOver = true;
      if (flights.get(key) === flight) flights.delete(key);
    };
    flight.result.then(land, land);
    flights.set(key, flight);
    return flight;
  };

  const join = async <T>(key: string, flight: Flight, signal?: AbortSignal): Promise<T> => {
    flight.callers += 1;
    try {
      return (await orAborted(flight.result, signal)) as T;
    } finally {
      flight.callers -= 1;
      if (flight.callers === 0) {
        if (flights.get(key) === flight) flights.delete(key);
        if (!flight.isOver) flight.controller.abort();
      }
    }
  };

  return {
    share: async (key, start, signal) => {
      signal?.throwIfAborted();
      return join(key, flights.get(key) ?? startFlight(key, start), signal);
    },
    forget: () => {
      flights = new Map();
    },
  };
}
