// What a user can choose that may change the engine's calls. Each is in a recording.

import type * as pulumi from "@pulumi/pulumi";

type Options = pulumi.CustomResourceOptions;

/** Every option of a resource, and whether the calls may depend on it. */
const OPTIONS: Readonly<Record<keyof Options, boolean>> = {
  aliases: true,
  deleteBeforeReplace: true,
  deletedWith: true,
  dependsOn: true,
  hooks: true,
  id: true,
  ignoreChanges: true,
  parent: true,
  protect: true,
  provider: true,
  replaceOnChanges: true,
  replaceWith: true,
  replacementTrigger: true,
  retainOnDelete: true,
  additionalSecretOutputs: false,
  customTimeouts: false,
  envVarMappings: false,
  hideDiffs: false,
  // The classes of this package refuse it, before the engine hears of the resource.
  import: false,
  pluginDownloadURL: false,
  // It changes the state before the engine compares.
  stateMigrations: false,
  transformations: false,
  transforms: false,
  // For resources that the engine reads by themselves.
  urn: false,
  version: false,
};

export const recordedOptions: readonly string[] = Object.entries(OPTIONS).flatMap(([option, is]) =>
  is ? [option] : [],
);

/** Those that a resource of a program has. */
export function optionsIn(options: object): string[] {
  // Each class gives itself an alias for the other form: a URN, or in a component the type.
  const isOwn = (value: unknown): boolean => typeof value === "string" || Object.keys(value ?? {}).join() === "type";
  const isGiven = (option: string, value: unknown): boolean =>
    value !== undefined && !(option === "aliases" && Array.isArray(value) && value.every(isOwn));
  return Object.entries(options).flatMap(([option, value]) =>
    recordedOptions.includes(option) && isGiven(option, value) ? [option] : [],
  );
}

/** The commands that call handlers; their help names their flags, with PULUMI_EXPERIMENTAL all of them. */
export const COMMANDS = ["up", "refresh", "destroy"] as const;

/** Of these flags the calls do not depend, or they are for what a killed run has left (test/engine/kill). */
const OTHER_FLAGS: readonly string[] =
  `attach-debugger config config-file config-path debug diff expect-no-changes help json
message neo neo-task-on-failure override-env policy-pack policy-pack-config secrets-provider show-config show-full-output
show-policy-remediations show-reads show-replacement-steps show-sames show-secrets skip-config-validation stack
skip-plugin-pre-install suppress-outputs suppress-stream-logs suppress-permalink suppress-progress urns yes strict
clear-pending-creates import-pending-creates skip-pending-creates skip-preview preview-only`.split(/\s+/);

/** The other flags of a command. */
export function flagsIn(help: string): string[] {
  const [own = ""] = help.split("Global Flags");
  const flags = [...own.matchAll(/^ +(?:-\w, )?--([a-z-]+)/gm)].map(([, flag = ""]) => flag);
  return flags.filter((flag) => !OTHER_FLAGS.includes(flag) && !flag.startsWith("remote"));
}

/** The commands `pulumi state …` that change what handlers are called for later. */
export const EDITS = ["delete", "move", "protect", "rename", "taint", "unprotect", "untaint"] as const;
