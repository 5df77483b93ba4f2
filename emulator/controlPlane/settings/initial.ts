// The settings that an emulator starts with, and resets to.

import type { EmulatorOptions } from "../../emulator";
import { profiles, type Profile } from "../http/profiles";
import type { Settings } from "./settings";
import { defaultSwitches } from "./switches";
import { defaultTimings } from "./timings";

export function settingsOf(options: EmulatorOptions, profile: Profile): Settings {
  return {
    timings: { ...defaultTimings, ...options.timings },
    stale: { ...options.stale },
    listLag: { ...options.listLag },
    notFoundAfterCreate: { ...options.notFoundAfterCreate },
    rateLimit: options.rateLimit,
    switches: { ...defaultSwitches, ...profiles[profile].switches, ...options.switches },
  };
}
