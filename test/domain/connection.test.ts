// What one attempt to connect means for the wait.

import { expect, test } from "vitest";
import { acceptConnection, type ConnectionAttempt } from "../../provider/domain/connection";

const attempts = ["accepting", "refusing", "foreign", "unreachable"] as const;
const attempt = (is: ConnectionAttempt["is"]): ConnectionAttempt => ({ is, seen: "" });
const judged = (host: string, isInVpc: boolean, unreachableMs: number): string[] =>
  attempts.map((is) => acceptConnection(attempt(is), { host, port: 5432, isInVpc }, unreachableMs));

test.each<[string, string, boolean, number, string]>([
  ["a public address is awaited, however long it is unreachable", "db.acme.net", false, 3_600_000, "retry"],
  ["one in a VPC has a moment to become known here", "db.acme.net", true, 14_999, "retry"],
  ["then this machine is not in the VPC", "db.acme.net", true, 15_000, "outOfReach"],
  ["a name that never resolves is not awaited", "db.pg.invalid", false, 0, "outOfReach"],
  ["nor is it in capitals, or with its dot", "DB.PG.INVALID.", false, 0, "outOfReach"],
  ["nor is one that is for examples", "db.example", false, 0, "outOfReach"],
  ["a name that only looks like it is", "invalid.acme.net", false, 0, "retry"],
])("%s", (_, host, isInVpc, unreachableMs, verdict) => {
  expect(judged(host, isInVpc, unreachableMs)).toEqual(["success", "retry", "retry", verdict]);
});
