// Parsers for texts of Pulumi's configuration, for inputs whose types allow numbers or certain words only.

import type { Environment } from "../domain/sharedFields";
import type { Size } from "../domain/values/size";
import { programError } from "./programError";

/**
 * The environment tag that a configuration value names, in upper or lower case: `environmentOf(config.get("tag"))`. A value
 * that is not set stays undefined. Any other value is an error.
 */
export function environmentOf(text: string | undefined): Environment | undefined {
  if (text === undefined) return undefined;
  const word = text.toUpperCase();
  if (word === "DEV" || word === "PROD") return word;
  const [meant] = /^(?:DEV|PROD)/.exec(word) ?? [];
  throw refused("environmentOf", text, '"DEV" or "PROD"', meant && JSON.stringify(meant));
}

/**
 * The size that a configuration value names, a whole number or `shared`: `sizeOf(config.get("cpuMillis"))`. A value that is
 * not set stays undefined. Any other value is an error.
 */
export function sizeOf(text: string | undefined): Size | undefined {
  if (text === undefined || text === "shared") return text;
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  const [meant] = /^[1-9]\d*(?= ?(?:m|gi?b?)$)/i.exec(text) ?? [];
  throw refused("sizeOf", text, 'a whole number, at least 1, or "shared"', meant);
}

function refused(parser: string, text: unknown, allowed: string, meant: string | undefined): Error {
  const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
  return programError("invalid-input", `${parser}: given ${JSON.stringify(text)}; allowed: ${allowed}${hint}`);
}
