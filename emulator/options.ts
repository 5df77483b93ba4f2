// Checks the options of an emulator before anything runs, and generates those that are left out.

import { randomBytes, randomInt } from "node:crypto";
import { z } from "zod";
import type { Identity } from "./driving/data/store";
import type { EmulatorOptions } from "./emulator";
import { profiles, type Profile } from "./controlPlane/actions/index";
import type { CallerOptions } from "./controlPlane/http/auth";
import { type Settings, defaultSwitches, defaultTimings, settingsRequest } from "./controlPlane/settings/settings";
import { makeCertificate } from "./databases/server/certificates";
import { required } from "./checkedShape";

export const projectsOf = ({ projects }: EmulatorOptions, projectId: string): { id: string; name: string }[] =>
  projects ?? [{ id: projectId, name: "default" }];

/** The settings that an emulator starts with, and resets to. */
export function settingsOf(options: EmulatorOptions): Settings {
  return {
    timings: { ...defaultTimings, ...options.timings },
    stale: { ...options.stale },
    listLag: { ...options.listLag },
    notFoundAfterCreate: { ...options.notFoundAfterCreate },
    // The limiter begins anew with another object.
    rateLimit: options.rateLimit && { ...options.rateLimit },
    switches: { ...defaultSwitches, ...options.switches },
  };
}

/** A given option takes precedence over one stored in a data folder, and that over a generated one. */
export function identityOf(options: EmulatorOptions, kept: Identity | undefined): Identity {
  const projectId = options.projectId ?? options.projects?.[0]?.id ?? kept?.projectId ?? "proj000001";
  if (kept !== undefined && kept.projectId !== projectId) {
    throw new Error(
      `${options.data} keeps project ${kept.projectId}, not ${projectId}: leave the project out, or take another folder`,
    );
  }
  return {
    // They begin with a letter: a command line would read a leading "-" as an option.
    apiKey: options.apiKey ?? kept?.apiKey ?? `key_${randomBytes(24).toString("base64url")}`,
    adminKey: options.adminKey ?? kept?.adminKey ?? `admin_${randomBytes(24).toString("base64url")}`,
    projectId,
    seed: options.seed ?? kept?.seed ?? randomInt(2 ** 31),
    certificate: kept?.certificate ?? makeCertificate(),
  };
}

const token = z.string().regex(/^[\x21-\x7e]+$/, "must be visible ASCII, at least one character: a header carries it");
const id = z
  .string()
  .regex(/^[^\s/?#]+$/, "must have at least one character, no spaces and none of / ? #: a path holds it");
const anything = z.unknown();
const caller = z.strictObject({
  token,
  kind: z.enum(["pat", "oauth"]),
  projectId: z.string().optional(),
  readOnly: z.boolean().optional(),
} satisfies Readonly<Record<keyof CallerOptions, z.ZodType>>);

/** What would not be seen otherwise: names that are none, keys that no client could send. The compiler reports a missing name. */
export const optionShapes = {
  port: z.int().min(0).max(65_535),
  profile: z.enum(Object.keys(profiles) as Profile[]),
  apiKey: token,
  projectId: id,
  projects: z.array(z.strictObject({ id, name: z.string() })),
  callers: z.array(caller),
  now: anything,
  ...settingsRequest.shape,
  // Here a duration may be a function too.
  timings: z.partialRecord(z.enum(Object.keys(defaultTimings)), anything),
  postgres: z.union([z.enum(["auto", "off", "required"]), z.strictObject({ bin: z.string().min(1) })], {
    error: 'must be "auto", "off", "required" or { bin: the folder of PostgreSQL\'s programs }',
  }),
  faults: anything,
  seed: anything,
  adminKey: token,
  data: z.string().min(1, "must name a folder"),
} satisfies Readonly<Record<keyof EmulatorOptions, z.ZodType>>;

/** Throws a TypeError before anything listens. */
export const requireUsable = (options: EmulatorOptions): unknown =>
  required("createEmulator", z.strictObject(optionShapes).partial(), options);
