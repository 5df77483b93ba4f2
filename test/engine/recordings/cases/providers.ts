// Several provider processes.

import { given, type Case, type Program } from "../case";
import { provider, service, set, LARGER, onlyOther } from "../programs";
import type { ServiceArgs } from "../../../../provider/index";

/** `db` under a provider of its own, its set under the default one unless said otherwise. */
const split =
  (args: ServiceArgs = {}, isSetThere = false, options: object = {}): Program =>
  async () => {
    const own = { provider: await provider("own") };
    const db = await service("db", args, { ...own, ...options });
    await set("set", db, isSetThere ? own : {});
    await service("other");
  };

const plain: Program = async () => {
  await set("set", await service("db"));
  await service("other");
};

/** `db` under the one or the other of two explicit providers. */
const under =
  (name: "one" | "two"): Program =>
  async () => {
    const both = { one: await provider("one"), two: await provider("two") };
    const db = await service("db", {}, { provider: both[name] });
    await set("set", db, { provider: both.two });
  };

export const providers: readonly Case[] = [
  given("two providers, a first create", "up", [onlyOther, split()]),
  given("two providers, a change", "up", [split(), split(LARGER)]),
  given("two providers, after a refresh", "up --refresh", [split(), split(LARGER)]),
  given("two providers, refreshed", "refresh", [split()]),
  given("two providers, destroyed", "destroy", [split()], { isDecisive: true }),
  given("two providers, destroyed by running the program", "destroy --run-program", [split()]),
  given("two providers, forced", "up --replace @db", [split()]),
  given("two providers, deleteBeforeReplace, forced", "up --replace @db", [
    split({}, false, { deleteBeforeReplace: true }),
  ]),
  given("from the default provider to an explicit one", "up", [plain, split({}, true)], { isDecisive: true }),
  given("from the default provider to an explicit one, the set stays", "up", [plain, split()]),
  given("from the default provider to an explicit one, after a refresh", "up --refresh", [plain, split({}, true)]),
  given("from an explicit provider to the default one", "up", [split({}, true), plain]),
  given("from one explicit provider to another", "up", [under("one"), under("two")]),
];
