// The remedies for missing or wrong settings. A run of Pulumi takes its settings from the stack or the environment, a command
// from its flags or the environment, so the same remedy has two forms.

import { ConfigError } from "../errors";

/** The value; without one, the error of a setting that is missing in all these places. */
export function required(key: "apiKey" | "baseUrl", value: string | undefined, places: string, remedy: string): string {
  if (value !== undefined) return value;
  const noun = key === "apiKey" ? "API key" : "base URL";
  throw new ConfigError("setting-missing", `no ${noun} is set (${places})`, remedy);
}

/** The name of the address in messages. */
export const BASE_URL = "dbcloud:baseUrl (DBCLOUD_BASE_URL)";

export const SET_BASE_URL =
  "Set it with `pulumi config set dbcloud:baseUrl …` or in the environment as DBCLOUD_BASE_URL.";

export const CHECK_PROJECT =
  "Check the project id: `projectId` in the program, DBCLOUD_PROJECT_ID in the environment, or " +
  "`pulumi config set dbcloud:projectId …`. If none is set, the only project that the key can access is used.";

export const CHECK_ID = "Check the id and the project id: an id is valid in one project only.";

export const NO_PROJECT = "no project is set (dbcloud:projectId or DBCLOUD_PROJECT_ID)";

export const SET_PROJECT =
  "Set it with `pulumi config set dbcloud:projectId …` or in the environment as DBCLOUD_PROJECT_ID.";

export const SET_KEY =
  "Set it in the environment as DBCLOUD_API_KEY or with `pulumi config set --secret dbcloud:apiKey …`";

/** Pulumi: only a run of the program without `--refresh` saves the current configuration. */
export const UP_SAVES_IT =
  "`refresh`, `destroy` and `--refresh` use the configuration saved in the state. To update it, run `pulumi up` " +
  "once without `--refresh`, or add --run-program to the command.";

const IN_COMMANDS: readonly (readonly [string, string])[] = [
  [SET_BASE_URL, "Give it with --base-url URL, or in the environment as DBCLOUD_BASE_URL."],
  [BASE_URL, "--base-url (DBCLOUD_BASE_URL)"],
  [
    CHECK_PROJECT,
    "Check the project id: --project, or DBCLOUD_PROJECT_ID in the environment. If neither is set, the only project " +
      "that the key can access is used.",
  ],
  [NO_PROJECT, "no project is set (--project or DBCLOUD_PROJECT_ID)"],
  [SET_PROJECT, "Give it with --project ID, or in the environment as DBCLOUD_PROJECT_ID."],
  [SET_KEY, "Set it in the environment as DBCLOUD_API_KEY"],
];

/** The form of a message for commands, most of which do not read the configuration of a stack. */
export function inCommands(message: string): string {
  return IN_COMMANDS.reduce((text, [ofRuns, ofCommands]) => text.replaceAll(ofRuns, ofCommands), message);
}
