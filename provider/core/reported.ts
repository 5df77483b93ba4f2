// What a read tells the core of an object, whatever its kind. Types only.

import type { DatabaseAddress } from "../domain/connection";
import type { Condition } from "../domain/fields";
import type { Values } from "../domain/values/value";
import type { Live } from "../plan/step";

/** An object as one read has shown it. What takes time is a function, because lists have a thousand rows. */
export interface Reported {
  readonly id: string;
  /** The name, or what tells two unnamed objects apart: a list shows it of an object that cannot be read, too. */
  readonly name: string;
  /** In the server's word, with the reason of a failure if the server shows one. */
  readonly status: string;
  readonly condition: Condition;
  /** Its status is that of a change under way, which ends by itself. */
  readonly isOnItsWay?: boolean;
  /** False for the row of a list that does not show what decides the condition. */
  readonly showsCondition: boolean;
  /** The answer was about this object alone, and so shows all that the server shows of it. */
  readonly isWhole: boolean;
  /** The time of creation, if the API shows it. */
  readonly created?: string | undefined;
  /** Whether the tag that protects it is the one of production, of a part that of its owner; undefined if it is not shown. */
  readonly isProduction?: boolean | undefined;
  /** An address that the object should show and does not. The provider waits for it for a limited time. */
  readonly lateAddress?: string | undefined;
  /** The inputs as the server shows them. */
  live(): Live;
  /** The outputs that are not inputs. */
  outputs(): Values;
  /** Name, id, age and status, for messages that name an object. `nowMs` is the server's time of day. */
  describe(nowMs: number): string;
  /** What it lacks besides a settled status. Default: nothing. */
  lacks?(inputs: Values): Lacking;
}

export interface Lacking {
  /** Before its parent is free for other changes. */
  readonly parent?: string | undefined;
  /** Before its dependents can use it. */
  readonly dependents?: string | undefined;
  /** The addresses that must accept connections before a change is done, if the program asks for that. */
  readonly connections?: readonly DatabaseAddress[];
}
