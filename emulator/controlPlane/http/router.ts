// Finds the operation for a method and a path: for the control plane, and for the admin API.

/** Parameters of a path begin with a colon. */
export interface Route {
  readonly method: string;
  readonly path: string;
}

export interface RouteMatch<R> {
  readonly route: R;
  readonly params: Record<string, string>;
}

/** The operation, or the methods that the path has; none if there is no such path. */
export function findRoute<R extends Route>(
  routes: Iterable<R>,
  method: string,
  path: string,
): RouteMatch<R> | string[] {
  const given = path.split("/").map(decoded);
  const allowed: string[] = [];
  for (const route of routes) {
    const params = paramsOf(route.path.split("/"), given);
    if (!params) continue;
    if (route.method === method) return { route, params };
    allowed.push(route.method);
  }
  return allowed;
}

function paramsOf(segments: readonly string[], given: readonly string[]): Record<string, string> | undefined {
  if (segments.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const value = given[index] ?? "";
    if (segment.startsWith(":") ? value === "" : segment !== value) return undefined;
    if (segment.startsWith(":")) params[segment.slice(1)] = value;
  }
  return params;
}

/** A segment that is not valid percent-encoding cannot be an id of the emulator. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return "\uFFFD";
  }
}
