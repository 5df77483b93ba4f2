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

export const providers: readonly Case[][] = [
  given("two providers", [split()], "refresh, destroy, destroy --run-program, up --replace @db"),
  given("two providers, a first create", [onlyOther, split()], "up"),
  given("two providers, a change", [split(), split(LARGER)], "up, up --refresh"),
  given("two providers, deleteBeforeReplace", [split({}, false, { deleteBeforeReplace: true })], "up --replace @db"),
  given("from the default provider to an explicit one", [plain, split({}, true)], "up, up --refresh"),
  given("from the default provider to an explicit one, the set stays", [plain, split()], "up"),
  given("from an explicit provider to the default one", [split({}, true), plain], "up"),
  given("from one explicit provider to another", [under("one"), under("two")], "up"),
];
