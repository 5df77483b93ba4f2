// The demo's checks of the databases, through the connection strings of the stack: rows in the fork that are older than
// it, a replica that follows and refuses writes, passwords that apply at once, data that survive a stop.
import { readFileSync } from "node:fs";
import type { DemoEnvironment } from "./environment.ts";
import { print } from "../options.ts";
import { ask, psql, type Answer, type Database, seenIn } from "./psql.ts";

/** A check of the demo: prints the sentence, or ends the demo with the actual result. */
type Check = (isTrue: boolean, sentence: string, seen?: readonly string[]) => void;

export type Databases = NonNullable<ReturnType<typeof openDatabases>>;

const ALL = "SELECT * FROM sales ORDER BY id";

/** Undefined if no databases run behind the endpoints. */
export function openDatabases(environment: DemoEnvironment, check: Check) {
  const { caFile } = environment.emulator;
  if (caFile === undefined) return undefined;
  const ca = readFileSync(caFile, "utf8");
  const database = (name: string, url: string | undefined): Database => ({ name, url: url ?? "", ca });
  let before: Database | undefined;
  return {
    async fill() {
      const { ordersUrl, reportsUrl } = await environment.outputs();
      const orders = (before = database("orders", ordersUrl));
      const reports = database("reports", reportsUrl);
      const table = "CREATE TABLE sales (id int PRIMARY KEY, item text)";
      const filled = await psql(orders, table, "INSERT INTO sales VALUES (1, 'tea'), (2, 'coffee')", ALL);
      const sentence = "the connection string of the stack leads to a database, with a certificate for it";
      check(countOf(filled) === 2, sentence, seenIn(filled));
      const nodes = environment.emulator.state().replicaSets.reduce((sum, set) => sum + set.nodes, 0);
      const copied = await untilRows(reports, 2, nodes);
      check(countOf(copied) === 2, "each node of the read replica shows the rows", seenIn(copied));
      const refused = await psql(reports, "INSERT INTO sales VALUES (3, 'milk')");
      check(hasError(refused, /read-only transaction/), "the read replica takes no writes", seenIn(refused));
    },
    /** After the creation of the fork. */
    async writeOn() {
      const { ordersUrl } = await environment.outputs();
      const all = await psql(database("orders", ordersUrl), "INSERT INTO sales VALUES (3, 'milk')", ALL);
      check(countOf(all) === 3, "the orders have a row that is younger than the fork", seenIn(all));
    },
    /** After all changes: the password, the sizes, the network; the fork was stopped and started. */
    async lookAgain() {
      const { ordersUrl, rehearsalUrl } = await environment.outputs();
      const orders = database("orders", ordersUrl);
      if (before !== undefined) {
        // Its address has changed as well: the old password is tried at the new one.
        const old = { ...orders, url: withPasswordOf(before.url, orders.url) };
        const refused = await psql(old, "SELECT 1");
        check(hasError(refused, /password authentication failed/), "the old password is refused", seenIn(refused));
      }
      const kept = await psql(orders, ALL);
      check(countOf(kept) === 3, "the new one is accepted, and all rows are there", seenIn(kept));
      const copied = await psql(database("rehearsal", rehearsalUrl), ALL);
      check(
        countOf(copied) === 2,
        "the fork, stopped and started since, has the rows from before it was made, and no others",
        seenIn(copied),
      );
    },
    /** A URL that psql accepts. */
    url: async () => (await environment.outputs())["ordersUrl"] ?? "",
  };
}

/** On a busy machine a node may lag by seconds. */
const FOLLOWS_WITHIN_MS = 60_000;

/**
 * Commits do not wait for a replica. Each connection goes to the next node, so all nodes have the rows when as many
 * connections in a row show them. Prints the last answer.
 */
async function untilRows(database: Database, count: number, nodes: number): Promise<Answer> {
  const untilMs = Date.now() + FOLLOWS_WITHIN_MS;
  for (let inRow = 0; ;) {
    const answer = await ask(database, ALL);
    inRow = countOf(answer) === count ? inRow + 1 : 0;
    if (inRow >= nodes || Date.now() > untilMs) {
      print(...answer.lines);
      return answer;
    }
    if (inRow === 0) await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function withPasswordOf(old: string, current: string): string {
  const url = new URL(current);
  url.password = new URL(old).password;
  return url.href;
}

const countOf = ({ rows, error }: Answer): number => (error === undefined ? rows.length : -1);

const hasError = ({ error = "" }: Answer, words: RegExp): boolean => words.test(error);

/** Why there are no databases, and how to get them. */
export function printWithout({ emulator }: DemoEnvironment): void {
  const { postgres } = emulator.state();
  const reason = postgres.kind === "off" && postgres.missing !== undefined ? `: ${postgres.missing}` : "";
  print(`Nothing listens at the endpoints of the databases here${reason}. The demo goes on without a look into them.`);
}
