// The calls of steps, derived from the table of operations: a step with an unknown operation, or without a field of its
// request, does not compile. Types only, so that planners load nothing of the client.

import type { Operation } from "../api/operations/operation";
import type { Operations } from "../api/operations";
import type { Kind } from "../domain/kinds";

/** The group of operations of each kind. A kind without its group does not compile. */
type GroupOf = ByKind<{ service: "services"; vpc: "vpcs"; peering: "peerings"; readReplicaSet: "readReplicaSets" }>;
type ByKind<Groups extends Record<Kind, keyof Operations>> = Groups;

/** The groups of operations that change objects. */
export type Group = GroupOf[Kind];

type InputOf<Row> = Row extends Operation<infer Input, infer _> ? Input : never;

/** The ids in the path of an object of each group, which a delete takes and nothing else. The executor adds them. */
export type PathIds = { [G in Group]: InputOf<Operations[G]["delete"]> };

/** The operations that change one existing object, and their requests without the ids of the path. */
type RequestsOf<Rows, Ids> = {
  [Name in Exclude<keyof Rows, NoChange>]: Omit<InputOf<Rows[Name]>, keyof Ids>;
};

/** Operations that read, create or delete an object are not steps of a plan. */
type NoChange = "list" | "get" | "logs" | "create" | "forkService" | "delete";

export type Requests = { [G in Group]: RequestsOf<Operations[G], PathIds[G]> };

/** The name of a call of a group: "resize". */
export type CallName<G extends Group> = keyof Requests[G] & string;

/** A call and its request. */
export type Call<G extends Group, Name extends CallName<G> = CallName<G>> = {
  [N in Name]: { readonly operation: N; readonly request: Requests[G][N] };
}[Name];
