// Authentication: a PAT is scoped to one project, an OAuth user sees all of the user's projects.

import { createHash, timingSafeEqual } from "node:crypto";
import type { Caller } from "../actions/action";
import { forbidden, notFound } from "../actions/failure";
import type { Project } from "../world/entities";

export interface CallerOptions {
  /** The bearer value. */
  token: string;
  kind: "pat" | "oauth";
  /** The project a PAT is scoped to. Default: the emulator's default project. */
  projectId?: string;
  /** Refuses every request except GET in a project with 403. Default false. */
  readOnly?: boolean;
}

export type Callers = ReadonlyMap<string, Caller>;

/** Labels are `pat-0`, `oauth-1` …: by position in the options, the default caller first. */
export function createCallers(
  given: readonly CallerOptions[],
  projects: readonly Project[],
  defaultProjectId: string,
): Callers {
  return new Map(
    given.map((options, index) => {
      const isPat = options.kind === "pat";
      const caller: Caller = {
        label: `${options.kind}-${index}`,
        projectIds: isPat ? [options.projectId ?? defaultProjectId] : projects.map(({ id }) => id),
        isReadOnly: options.readOnly ?? false,
      };
      return [options.token, caller];
    }),
  );
}

const bearerOf = (authorization = ""): string => /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? "";

export const callerOf = (callers: Callers, authorization: string | undefined): Caller | undefined =>
  callers.get(bearerOf(authorization));

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

export const isKey = (authorization: string | undefined, key: string): boolean =>
  timingSafeEqual(digest(bearerOf(authorization)), digest(key));

/** The project in the path, if the caller may use it; for a path without one, the caller's first project. */
export function requireProject(
  caller: Caller,
  projects: readonly Project[],
  projectId: string | undefined,
  method: string,
): Project {
  if (projectId === undefined) return projects.find(({ id }) => id === caller.projectIds[0]) ?? { id: "", name: "" };
  const project = projects.find((candidate) => candidate.id === projectId);
  if (!project) throw notFound("project");
  if (!caller.projectIds.includes(projectId)) throw forbidden();
  if (caller.isReadOnly && method !== "GET") throw forbidden("missing project permission: read-only");
  return project;
}
