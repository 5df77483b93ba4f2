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
  (name: string | undefined, aliases: pulumi.Input<pulumi.Alias>[] = []): Program =>
  async () => {
    const parent = name === undefined ? {} : { parent: await group(name) };
    const db = await service("db", { name: "db" }, { ...parent, aliases });
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

const takeName: Step = ({ emulator }) => void emulator.mutate.createService({ name: "taken" });
const resize: Step = ({ emulator }) => {
  for (const { id } of emulator.state().services) emulator.mutate.service(id, { ...LARGER });
};

export const options: readonly Case[] = [
  given("retainOnDelete, taken out of the program", "up", [shop({ options: kept }), onlyOther]),
  given("retainOnDelete, forced", "up --replace @db", [shop({ options: kept })]),
  given("retainOnDelete, destroyed", "destroy", [shop({ options: kept })]),
  given("retainOnDelete of a dependent, deleteBeforeReplace, forced", "up --replace @db", [
    shop({ options: first, setOptions: kept }),
  ]),
  given("deletedWith, both taken out of the program", "up", [together(), onlyOther]),
  given("deletedWith, forced", "up --replace @db", [together()]),
  given("deletedWith and deleteBeforeReplace, forced", "up --replace @db", [together(first)]),
  given("deletedWith, destroyed", "destroy", [together()]),
  given("protect, taken out of the program", "up", [shop({ options: guarded }), onlyOther]),
  given("protect, forced", "up --replace @db", [shop({ options: guarded })]),
  given("protect and deleteBeforeReplace, forced", "up --replace @db", [shop({ options: { ...guarded, ...first } })]),
  given("protect, forced with --ignore-protect", "up --ignore-protect --replace @db", [shop({ options: guarded })]),
  given("protect, taken out of the program with --ignore-protect", "up --ignore-protect", [
    shop({ options: guarded }),
    onlyOther,
  ]),
  given("protect no longer in the program, forced", "up --replace @db", [shop({ options: guarded }), shop()]),
  given("protect by the state, taken out of the program", "up", [shop(), onlyOther], { steps: ["state protect @db"] }),
  given("no protect by the state, taken out of the program", "up", [shop({ options: guarded }), onlyOther], {
    steps: ["state unprotect @db"],
  }),
  given("ignoreChanges, changed", "up", [shop({ options: ignoring }), shop({ args: LARGER, options: ignoring })]),
  given("ignoreChanges, drifted", "up --refresh", [shop({ options: ignoring })], { steps: [resize] }),
  given("dependsOn, taken out of the program", "up", [ordered(), onlyOther]),
  given("dependsOn, forced", "up --replace @db", [ordered()]),
  given("dependsOn, destroyed", "destroy", [ordered()]),
  given("dependsOn, destroy --target --target-dependents", "destroy --target @db --target-dependents", [ordered()]),
  given("parent, moved into a component without an alias", "up", [inGroup(undefined), inGroup("group")]),
  given("parent, moved into a component with an alias", "up", [
    inGroup(undefined),
    inGroup("group", [{ parent: pulumi.rootStackResource }]),
  ]),
  given("parent, the component renamed without an alias", "up", [inGroup("group"), inGroup("store")]),
  given("parent, taken out of the program", "up", [inGroup("group"), onlyOther]),
  given(
    "parent, destroy --target of the component --target-dependents",
    "destroy --target @group --target-dependents",
    [inGroup("group")],
  ),
  given("import", "up", [onlyOther, imported]),
  given("hooks, created", "up", [onlyOther, hooked(true)]),
  given("hooks, taken out of the program", "up", [hooked(true), hooked(false)]),
  given("hooks, a delete refused", "up", [hooked(true), hooked(false, true)]),
  given("hooks, destroyed by running the program", "destroy --run-program", [hooked(true)]),
  given("hooks, a failed create tried again", "up", [onlyOther, triedAgain], { steps: [takeName] }),
];
