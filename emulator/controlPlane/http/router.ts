// Maps method and path to the action that serves it.

import type { Action, Offer } from "../actions/action";
import { missingRoute } from "../actions/failure";
import { actions, isOperation, type OperationName } from "../actions/index";
import type { Switches } from "../settings/switches";

export interface Match {
  readonly operation: OperationName;
  readonly action: Action;
  readonly params: Record<string, string>;
}

interface Route {
  readonly operation: OperationName;
  readonly action: Action;
  readonly segments: readonly string[];
}

export interface Router {
  /** The action for this method and path below the base URL; throws the Failure to answer with. */
  find(method: string, path: string, request: { switches: Switches; baseUrl: string }): Match;
}

export function createRouter(offers: readonly Offer[]): Router {
  const byLength = groupByLength(Object.keys(actions).filter(isOperation).map(toRoute), offers);
  return {
    find(method, path, { switches, baseUrl }) {
      const given = path.split("/").map(decode);
      const fitting = (byLength.get(given.length) ?? []).filter((route) => fits(route, given));
      const wanted = method === "HEAD" ? "GET" : method;
      const route = fitting.find(({ action }) => action.method === wanted);
      if (route) return { operation: route.operation, action: route.action, params: paramsOf(route, given) };
      const allowed = fitting.map(({ action }) => action.method);
      const hint = path.endsWith("/") ? "leave out the slash at the end of the path" : `the API is at ${baseUrl}`;
      throw missingRoute(allowed, switches.missingRoutes, hint);
    },
  };
}

function toRoute(operation: OperationName): Route {
  const action = actions[operation];
  return { operation, action, segments: action.path.split("/") };
}

function groupByLength(routes: readonly Route[], offers: readonly Offer[]): Map<number, Route[]> {
  const groups = new Map<number, Route[]>();
  for (const route of routes) {
    if (!offers.includes(route.action.offer)) continue;
    const group = groups.get(route.segments.length) ?? [];
    group.push(route);
    groups.set(route.segments.length, group);
  }
  return groups;
}

const isParameter = (segment: string): boolean => segment.startsWith(":");

function fits(route: Route, given: readonly string[]): boolean {
  return route.segments.every((segment, index) =>
    isParameter(segment) ? given[index] !== "" : segment === given[index],
  );
}

function paramsOf(route: Route, given: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [index, segment] of route.segments.entries()) {
    if (isParameter(segment)) params[segment.slice(1)] = given[index] ?? "";
  }
  return params;
}

/** A segment that is not valid percent-encoding cannot be an id of the emulator. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return "\uFFFD";
  }
}
