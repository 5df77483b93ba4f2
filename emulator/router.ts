// From method and path to the action that serves it. A profile is the set of actions that exist at all.

import { actions } from "./actions/index";
import type { Action } from "./action";
import { missingRoute } from "./failure";
import { undocumentedOperations } from "./operations";
import type { Switches } from "./switches";

export type Profile = "full" | "documented";

export interface Match {
  readonly action: Action;
  readonly params: Record<string, string>;
}

interface Route {
  readonly action: Action;
  readonly segments: readonly string[];
}

export interface Router {
  /** The action for this method and path below the base URL; throws the Failure to answer with. */
  find(method: string, path: string, request: { switches: Switches; baseUrl: string }): Match;
}

export function createRouter(profile: Profile): Router {
  const served = actions.filter((action) => profile === "full" || !isUndocumented(action));
  const byLength = groupByLength(served.map(toRoute));
  return {
    find(method, path, { switches, baseUrl }) {
      const given = path.split("/").map(decode);
      const fitting = (byLength.get(given.length) ?? []).filter((route) => fits(route, given));
      const route = fitting.find((candidate) => candidate.action.method === (method === "HEAD" ? "GET" : method));
      if (!route)
        throw missingRoute(
          fitting.map((candidate) => candidate.action.method),
          switches.missingRoutes,
          path.endsWith("/") ? "leave out the slash at the end of the path" : `the API is at ${baseUrl}`,
        );
      return { action: route.action, params: paramsOf(route, given) };
    },
  };
}

const isUndocumented = (action: Action): boolean => undocumentedOperations.some((name) => name === action.operation);

const toRoute = (action: Action): Route => ({ action, segments: action.path.split("/") });

function groupByLength(routes: readonly Route[]): Map<number, Route[]> {
  const groups = new Map<number, Route[]>();
  for (const route of routes) {
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

/** A segment that is not valid percent-encoding is no id of ours. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return "\uFFFD";
  }
}
