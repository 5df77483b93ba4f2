// The resource options that Pulumi has, beside those of replacements.

import * as pulumi from "@pulumi/pulumi";
import { given, type Case, type Program, type Step } from "../case";
import { attempted, group, LARGER, onlyOther, service, set, shop } from "../programs";

const kept = { retainOnDelete: true };
const guarded = { protect: true };
const first = { deleteBeforeReplace: true };
const ignoring = { ignoreChanges: ["cpuMillis", "memoryGbs"] };

/** The set is deleted with its service. */
const together =
  (options: object = {}): Program =>
  async () => {
    const db = await service("db", {}, options);
    await set("set", db, { deletedWith: db });
    await service("other");
  };

/** A service that depends on another without an input of it. */
const ordered =
  (options: object = {}): Program =>
  async () => {
    const db = await service("db", {}, options);
    await service("after", {}, { dependsOn: db });
  };

/** The service and its set in a component. */
const inGroup =
  (name: string | undefined, aliases: pulumi.Input<pulumi.Alias>[] = [], called = "db"): Program =>
  async () => {
    const parent = name === undefined ? {} : { parent: await group(name) };
    const db = await service("db", { name: called }, { ...parent, aliases });
    await set("set", db, { parent: db, aliases: [] }, { name: "set" });
  };

const imported: Program = () => service("db", {}, { import: "a123456789" });

const hooked =
  (hasDb: boolean, isRefused = false): Program =>
  async () => {
    const before = new pulumi.ResourceHook("before", () => {
      if (isRefused) throw new Error("not now");
    });
    const after = new pulumi.ResourceHook("after", () => undefined);
    const all = { beforeCreate: [before], afterCreate: [after], beforeDelete: [before], afterDelete: [after] };
    if (hasDb) await service("db", {}, { hooks: all });
    await service("other");
  };

/** A failed create is tried again once. */
const triedAgain: Program = async () => {
  let tries = 0;
  const again = new pulumi.ErrorHook("again", () => (tries += 1) < 2);
  await service("other");
  await attempted("taken", { name: "taken" }, { hooks: { onError: [again] } });
};

const keeping = shop({ options: kept });
const guarding = shop({ options: guarded });

const takeName: Step = ({ emulator }) => void emulator.mutate.createService({ name: "taken" });
const resize: Step = ({ emulator }) => {
  for (const { id } of emulator.state().services) emulator.mutate.service(id, { ...LARGER });
};

export const options: readonly Case[][] = [
  given("retainOnDelete", [keeping], "up --replace @db, destroy"),
  given("retainOnDelete, taken out of the program", [keeping, onlyOther], "up"),
  given(
    "retainOnDelete of a dependent, deleteBeforeReplace",
    [shop({ options: first, setOptions: kept })],
    "up --replace @db",
  ),
  given("deletedWith", [together()], "up --replace @db, destroy"),
  given("deletedWith, both taken out of the program", [together(), onlyOther], "up"),
  given("deletedWith and deleteBeforeReplace", [together(first)], "up --replace @db"),
  given("protect", [guarding], "up --replace @db, up --ignore-protect --replace @db"),
  given("protect, taken out of the program", [guarding, onlyOther], "up, up --ignore-protect"),
  given("protect and deleteBeforeReplace", [shop({ options: { ...guarded, ...first } })], "up --replace @db"),
  given("protect no longer in the program", [guarding, shop()], "up --replace @db"),
  given("protect by the state, taken out of the program", [shop(), onlyOther], "up", { steps: ["state protect @db"] }),
  given("no protect by the state, taken out of the program", [guarding, onlyOther], "up", {
    steps: ["state unprotect @db"],
  }),
  given("ignoreChanges, changed", [shop({ options: ignoring }), shop({ args: LARGER, options: ignoring })], "up"),
  given("ignoreChanges, drifted", [shop({ options: ignoring })], "up --refresh", { steps: [resize] }),
  given("dependsOn", [ordered()], "up --replace @db, destroy, destroy --target @db --target-dependents"),
  given("dependsOn, taken out of the program", [ordered(), onlyOther], "up"),
  given("parent, moved into a component without an alias", [inGroup(undefined), inGroup("group", [], "db-2")], "up"),
  given(
    "parent, moved into a component with an alias",
    [inGroup(undefined), inGroup("group", [{ parent: pulumi.rootStackResource }])],
    "up",
  ),
  given("parent, the component renamed without an alias", [inGroup("group"), inGroup("store")], "up"),
  given("parent, taken out of the program", [inGroup("group"), onlyOther], "up"),
  given("parent", [inGroup("group")], "destroy --target @group --target-dependents"),
  given("import", [onlyOther, imported], "up"),
  given("hooks, created", [onlyOther, hooked(true)], "up"),
  given("hooks, taken out of the program", [hooked(true), hooked(false)], "up"),
  given("hooks, a delete refused", [hooked(true), hooked(false, true)], "up"),
  given("hooks", [hooked(true)], "destroy --run-program"),
  given("hooks, a failed create tried again", [onlyOther, triedAgain], "up", { steps: [takeName] }),
];
