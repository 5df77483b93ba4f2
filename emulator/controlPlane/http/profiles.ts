// Which operations each profile has, and how they answer unless a switch says otherwise.

import type { Offer } from "../actions/action";
import type { Switches } from "../settings/switches";

export type Profile = "full" | "documented" | "public";

interface ProfileSpec {
  readonly offers: readonly Offer[];
  readonly switches: Partial<Switches>;
}

export const profiles: Readonly<Record<Profile, ProfileSpec>> = {
  documented: { offers: ["contract"], switches: {} },
  full: { offers: ["contract", "extension"], switches: {} },
  public: {
    offers: ["contract", "extension", "public"],
    switches: {
      timeSeriesType: "TIMESCALEDB",
      defaultServiceType: "TIMESCALEDB",
      tieringAndExporters: false,
      basicAuth: true,
    },
  },
};

export const isProfile = (word: string): word is Profile => Object.hasOwn(profiles, word);
