// How an object of one kind is changed in place, and when a change is done.

import type { DatabaseAddress } from "../../domain/connection";
import type { Values } from "../../domain/values/value";
import type { AnyCall, Live, Plan, Row, Step, Wanted } from "../../plan/step";
import type { Session } from "../session/session";
import type { CallLimits, Observable, Scope } from "./observation";

/** What an object needs besides a settled status. Each member answers what is missing. */
export interface Readiness<Inputs, Observed> {
  /** Before dependents can use it. */
  missing(inputs: Inputs, item: Observed): string | undefined;
  /** As far as it keeps the parent busy: others may change the parent once this is over. */
  occupies(inputs: Inputs, item: Observed): string | undefined;
}

/** Where clients connect to an object that has settled. */
export interface Connection<Inputs, Observed> {
  /** The address that it should show and does not; the provider waits for it for a limited time. */
  late(item: Observed): string | undefined;
  /** The addresses that must accept connections before a change is done, where the program asks for that. */
  accepting(inputs: Inputs, item: Observed): DatabaseAddress[];
}

export interface Change<Inputs extends object, Observed> {
  /** How each in-place input is changed; the inputs that no call changes have none. */
  readonly rows: Readonly<Record<string, Pick<Row<Inputs, AnyCall>, "calls" | "again">>>;
  plan(wanted: Wanted<Inputs>, live: Live<Inputs>): Plan<Inputs>;
  /** The state in the form in which the server would show it, where that is not simply the inputs. */
  recorded?(state: Values): Values;
  /**
   * Checks before the first step what must be in order, and throws otherwise. `recorded` is the state from which the
   * plan starts, if there is one and no interrupted run has gone beyond it.
   */
  beforeSteps?(
    session: Session,
    steps: readonly Step<Inputs>[],
    item: Observed,
    scope: Scope,
    recorded: Values | undefined,
  ): Promise<void>;
  /** Answers the object if the call showed it: it decides the kind of the first read, and proves nothing. */
  send(
    session: Session,
    step: Step<Inputs>,
    id: string,
    scope: Scope,
    limits: CallLimits,
  ): Promise<Observed | undefined | void>;
  /** The calls that the contract does not show, each with the remedy where a server lacks it. */
  readonly undocumented: Readonly<Record<string, string>>;
  readonly readiness?: Readiness<Inputs, Observed>;
  readonly connection?: Connection<Inputs, Observed>;
}

export type Changeable = Observable & Change<Values, unknown>;
