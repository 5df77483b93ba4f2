// The options of an emulator before anything runs: what cannot be used is refused, and what is left out is made up.

import { randomBytes, randomInt } from "node:crypto";
import type { DataFolder, Identity } from "./data/folder";
import type { EmulatorOptions } from "./emulator";

export const projectsOf = ({ projects }: EmulatorOptions, projectId: string): { id: string; name: string }[] =>
  projects ?? [{ id: projectId, name: "default" }];

/** What is given wins over what a folder keeps, and that over what is made up. */
export function identityOf(options: EmulatorOptions, folder: DataFolder | undefined): Identity {
  const kept = folder?.identity;
  const projectId = options.projectId ?? options.projects?.[0]?.id ?? kept?.projectId ?? "proj000001";
  if (folder !== undefined && kept !== undefined && kept.projectId !== projectId) {
    throw new Error(
      `${folder.path} keeps project ${kept.projectId}, not ${projectId}: leave the project out, or take another folder`,
    );
  }
  return {
    format: 1,
    // They begin with a letter: a command line takes what begins with "-" for an option.
    apiKey: options.apiKey ?? kept?.apiKey ?? `key_${randomBytes(24).toString("base64url")}`,
    adminKey: options.adminKey ?? kept?.adminKey ?? `admin_${randomBytes(24).toString("base64url")}`,
    projectId,
    seed: options.seed ?? kept?.seed ?? randomInt(2 ** 31),
  };
}

/** What could never be called, or not found in a path, is refused before anything listens. */
export function requireUsable({
  apiKey,
  adminKey,
  callers = [],
  projectId,
  projects = [],
  port,
}: EmulatorOptions): void {
  for (const token of [apiKey, adminKey, ...callers.map((caller) => caller.token)]) {
    if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
      throw new RangeError("an API key has at least one character, all of them visible ASCII: a header carries it");
  }
  for (const id of [projectId, ...projects.map((project) => project.id)]) {
    if (id !== undefined && !/^[^\s/?#]+$/.test(id))
      throw new RangeError(`a project id has no spaces and none of / ? #, not ${JSON.stringify(id)}`);
  }
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65_535))
    throw new RangeError(`a port is a whole number from 0 (a free one) to 65535, not ${port}`);
}
