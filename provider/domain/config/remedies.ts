// What to do about missing or wrong settings, in words for runs of Pulumi and for commands.

import { ConfigError } from "../errors";

/** The value; without one, the error of a setting that is missing in all these places. */
export function required(key: "apiKey" | "baseUrl", value: string | undefined, places: string, remedy: string): string {
  if (value !== undefined) return value;
  const noun = key === "apiKey" ? "API key" : "base URL";
  throw new ConfigError("setting-missing", `no ${noun} is set (${places})`, remedy);
}

/** How to set one, whatever runs. Commands have flags, and most of them do not read the configuration of a stack. */
export function waysToSet(key: "apiKey" | "projectId" | "baseUrl"): string {
  const { variable, flag, option } = WAYS[key];
  return `Set ${variable} in the environment${flag}, or for Pulumi run \`pulumi config set ${option}dbcloud:${key} …\`.`;
}

const WAYS = {
  apiKey: { variable: "DBCLOUD_API_KEY", flag: "", option: "--secret " },
  projectId: { variable: "DBCLOUD_PROJECT_ID", flag: ", give a command --project", option: "" },
  baseUrl: { variable: "DBCLOUD_BASE_URL", flag: ", give a command --base-url", option: "" },
} as const;

export const CHECK_ID = "Check the id and the project id: an id is valid in one project only.";
