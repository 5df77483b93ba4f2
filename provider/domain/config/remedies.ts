// The remedies for missing or wrong settings. A run of Pulumi takes its settings from the stack or the environment, a command
// from its flags or the environment, so the same remedy has two forms.

/** The name of the address in messages. */
export const BASE_URL = "dbcloud:baseUrl (DBCLOUD_BASE_URL)";

export const SET_BASE_URL =
  "Set it with `pulumi config set dbcloud:baseUrl …` or in the environment as DBCLOUD_BASE_URL.";

export const CHECK_PROJECT =
  "Check the project id: `projectId` in the program, else DBCLOUD_PROJECT_ID in the environment or " +
  "`pulumi config set dbcloud:projectId …`; without any of them the only project that the key can see is used.";

export const NO_PROJECT = "dbcloud:projectId is not set";

export const SET_PROJECT =
  "Set it with `pulumi config set dbcloud:projectId …` or in the environment as DBCLOUD_PROJECT_ID.";

export const SET_KEY =
  "Set it in the environment as DBCLOUD_API_KEY or with `pulumi config set --secret dbcloud:apiKey …`";

/** Pulumi: only a run of the program without `--refresh` saves the current configuration. */
export const UP_SAVES_IT =
  "`refresh`, `destroy` and `--refresh` use the configuration kept in the state: run `pulumi up` once without `--refresh` " +
  "to save the new one, or them with --run-program.";

const IN_COMMANDS: readonly (readonly [string, string])[] = [
  [SET_BASE_URL, "Give it with --base-url URL, or in the environment as DBCLOUD_BASE_URL."],
  [BASE_URL, "--base-url (DBCLOUD_BASE_URL)"],
  [
    CHECK_PROJECT,
    "Check the project id: --project, else DBCLOUD_PROJECT_ID in the environment; without either the only project that " +
      "the key can see is used.",
  ],
  [NO_PROJECT, "neither --project nor DBCLOUD_PROJECT_ID says which"],
  [SET_PROJECT, "Give it with --project ID, or in the environment as DBCLOUD_PROJECT_ID."],
  [SET_KEY, "Set it in the environment as DBCLOUD_API_KEY"],
];

/** The form of a message for commands, most of which do not read the configuration of a stack. */
export function inCommands(message: string): string {
  return IN_COMMANDS.reduce((text, [ofRuns, ofCommands]) => text.replaceAll(ofRuns, ofCommands), message);
}
