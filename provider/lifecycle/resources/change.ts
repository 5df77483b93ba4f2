// Defines how an object of one kind is changed in place, and when a change is done.

import type { DatabaseAddress } from "../../domain/connection";
import type { Values } from "../../domain/values/value";
import type { AnyCall, Live, Plan, Row, Step, Wanted } from "../../plan/step";
import type { Session } from "../session/session";
import type { CallLimits, Observable, Scope } from "./observation";

/** What an object needs besides a settled status. Each member returns what is missing. */
export interface Readiness<Inputs, Observed> {
  /** Before dependents can use it. */
  missing(inputs: Inputs, item: Observed): string | undefined;
  /** The part that keeps the parent busy. After it other operations may change the parent. */
  occupies(inputs: Inputs, item: Observed): string | undefined;
}

/** The addresses of a settled object. */
export interface Connection<Inputs, Observed> {
  /** An address that the object should show and does not. The provider waits for it for a limited time. */
  late(item: Observed): string | undefined;
  /** The addresses that must accept connections before a change is done, if the program asks for that. */
  accepting?(inputs: Inputs, item: Observed): DatabaseAddress[];
}

export interface Change<Inputs extends object, Observed> {
  /** How each in-place input is changed. Inputs that no call changes have no row. */
  readonly rows: Readonly<Record<string, Pick<Row<Inputs, AnyCall>, "calls" | "again">>>;
  plan(wanted: Wanted<Inputs>, live: Live<Inputs>): Plan<Inputs>;
  /** The state in the form in which the server would show it, if that differs from the inputs. */
  recorded?(state: Values): Values;
  /**
   * Checks the preconditions before the first step, and throws if one is not met. `recorded` is the state from which the plan
   * starts, if there is one and no interrupted run has gone beyond it.
   */
  beforeSteps?(
    session: Session,
    steps: readonly Step<Inputs>[],
    item: Observed,
    scope: Scope,
    recorded: Values | undefined,
  ): Promise<void>;
  /** Returns the object if the call showed it. It decides the kind of the first read, and proves nothing. */
  send(
    session: Session,
    step: Step<Inputs>,
    id: string,
    scope: Scope,
    limits: CallLimits,
  ): Promise<Observed | undefined | void>;
  /** The calls that the contract does not document, each with the remedy for a server that lacks it. */
  readonly undocumented: Readonly<Record<string, string>>;
  readonly readiness?: Readiness<Inputs, Observed>;
  readonly connection?: Connection<Inputs, Observed>;
}

export type Changeable = Observable & Change<Values, unknown>;
