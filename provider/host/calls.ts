// Runs one call of the engine: creates its context and its row, and translates its errors.

import { checkBaseUrl } from "../api/http/origin";
import { withoutValues } from "../api/http/redaction";
import { nodeProblem } from "../domain/config/nodeVersion";
import type { ProcessEnvironment, ProviderConfig } from "../domain/config/config";
import { ConfigError } from "../domain/errors";
import type { Account } from "../core/name";
import { show, type Values } from "../domain/values/value";
import type { ClientSession } from "../core/createSession";
import type { Memory } from "../core/runView";
import type { Context } from "../core/operation";
import type { OpenRow, Row } from "./engineLog";
import { identityOf, stacksIn, urnIn } from "./hidden";
import type { OpenSession } from "./sessions";
import { type ConfigResult, orConfigError, type SettingsReader } from "./settings";
import { secretsOf, toShown } from "./shapes";

/** The data that all calls of one provider process share. */
export interface ProcessState {
  environment: ProcessEnvironment;
  memory: Memory;
  openSession: OpenSession;
  openRow: OpenRow;
  calls: { underWay: number };
  /** Aborted when the engine ends. */
  signal: AbortSignal;
  /** What this run may adopt: the words of `DBCLOUD_ADOPT`. */
  adopt: readonly string[];
  /** The projects whose objects may be gone all at once. */
  believedGone: readonly string[];
  /** The warnings that this process has given already. */
  warnings: Set<string>;
}

export interface CallContext extends Context {
  /** Once in a process, where several calls would say the same. */
  warnOnce: (line: string) => void;
  session: () => ClientSession;
  /** The settings that an `up` needs and that nobody gives, with their variables. */
  missing: readonly string[];
  /** The errors of the settings that can be found before the settings are used. */
  malformed: readonly string[];
  account: Account;
  isProtecting: boolean;
}

/** Without them a preview works, and an `up` does not. */
const NEEDED = [
  ["apiKey", "no API key is set: a preview does not need one, but `pulumi up` does (DBCLOUD_API_KEY)"],
  ["baseUrl", "no base URL is set: a preview does not need one, but `pulumi up` does (DBCLOUD_BASE_URL)"],
] as const;

/** An operation shows progress only after this time. A preview shows its lines at once. */
export const PROGRESS_DELAY_MS = 250;
export const AT_ONCE = 0;

/** `olds`: the values of the state, beside `raw`. */
export type RunCall = <T>(
  raw: Values,
  delayMs: number,
  work: (context: CallContext) => T | Promise<T>,
  olds?: Values,
) => Promise<T>;

/** Runs a handler with a row for its lines, and translates its errors. */
export function createCalls(shared: ProcessState, settings: SettingsReader): RunCall {
  const problem = nodeProblem(process.versions);
  return async (raw, delayMs, work, olds = {}) => {
    shared.calls.underWay += 1;
    const row = rowWithout(shared.openRow(urnIn(raw), delayMs), markedIn(raw));
    const warnOnce = (text: string): void => {
      if (!shared.warnings.has(text)) row.warn(text);
      shared.warnings.add(text);
    };
    for (const text of settings.warnings()) warnOnce(text);
    const stacks = shared.memory.view.stacks([raw, olds].flatMap(stacksIn));
    if (stacks.length > 1) warnOnce(describeCopy(stacks));
    try {
      return await work({ ...contextFor(shared, settings.read(), problem, row, raw, olds), warnOnce });
    } catch (error) {
      throw toShown(error, raw);
    } finally {
      await row.end();
      shared.calls.underWay -= 1;
    }
  };
}

/** Pulumi: in a refresh or destroy nobody says which stack it is. */
function describeCopy(stacks: readonly string[]): string {
  return (
    `the program and the state of this run name different stacks: ${stacks.toSorted().join(" and ")}. If the state is a copy, both ` +
    "stacks manage the same objects: `destroy` of one, or an `up` that no longer declares them, deletes those of the other. To give " +
    "them up here, use `pulumi state delete`. If you renamed the stack, or moved them here, the next change of each resource ends this"
  );
}

/** What the engine has marked as secret, which only a plugin is told. */
function markedIn({ __secrets: marked }: Values): readonly string[] {
  return Array.isArray(marked) ? (marked as readonly string[]) : [];
}

function rowWithout(row: Row, secrets: readonly string[]): Row {
  const shown = (text: string): string => withoutValues(text, secrets);
  return { ...row, progress: (text) => row.progress(shown(text)), warn: (text) => row.warn(shown(text)) };
}

function contextFor(
  { openSession, environment, memory, adopt, believedGone, signal }: ProcessState,
  settings: ConfigResult,
  problem: ConfigError | undefined,
  row: Row,
  raw: Values,
  olds: Values,
): Omit<CallContext, "warnOnce"> {
  const isUnusable = settings instanceof ConfigError;
  const account: Partial<ProviderConfig> = isUnusable ? {} : settings;
  const { baseUrl, allowInsecure = false, quiet = false, deletionProtection = false } = account;
  // A preview calls no address, and knows which one `up` refuses to call.
  const address = orConfigError(() => baseUrl !== undefined && checkBaseUrl(baseUrl, allowInsecure));
  const problems = [problem, settings, address].filter((one) => one instanceof ConfigError);
  return {
    session: () => {
      if (problem !== undefined) throw problem;
      if (isUnusable) throw settings;
      const session = openSession(settings);
      session.client.hide([...secretsOf(raw, olds), ...markedIn(raw)]);
      return session;
    },
    progress: (line) => {
      if (!quiet) row.progress(line);
    },
    warn: (line) => {
      row.warn(line);
    },
    // A line on the row of each resource that calls would change; `testing/` reads it.
    ...(environment["DBCLOUD_SHOW_CALLS"] === "1" && {
      showCalls: (label, operations) => {
        if (operations.length > 0) row.progress(`${label}: calls: ${operations.join(", ")}`);
      },
    }),
    quiet,
    memory,
    identity: identityOf(raw),
    adopt,
    believesGone: (projectId) => believedGone.includes(projectId),
    signal,
    account,
    isProtecting: deletionProtection,
    malformed: [...problems.map(({ fullMessage }) => fullMessage), ...malformedAdoptions(adopt)],
    missing: isUnusable ? [] : NEEDED.filter(([key]) => settings[key] === undefined).map(([, words]) => words),
  };
}

/** The errors of words of DBCLOUD_ADOPT that name no resource or no object. */
function malformedAdoptions(words: readonly string[]): string[] {
  return words
    .filter((word) => !/.=./s.test(word))
    .map(
      (word) =>
        new ConfigError(
          "setting-invalid",
          `environment variable DBCLOUD_ADOPT: given ${show(word)}; allowed: RESOURCE=ID, such as orders=svc1234567`,
          "Correct it in the environment, or unset it.",
        ).fullMessage,
    );
}
