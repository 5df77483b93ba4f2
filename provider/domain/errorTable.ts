// Every error that a user can meet, by the name under which `pulumi-dbcloud explain` and docs/errors.md explain it. Only those two
// load this file: the code that throws takes the names alone, as a type. What a message says already is not repeated here.

export interface ErrorRow {
  /** What the message says, with `…` for what changes. A test finds these words where the error is made. */
  readonly looks: readonly string[];
  /** One sentence or more. */
  readonly cause: string;
  readonly remedy: string;
  /** Where the docs say more: a file of the package, and a heading of it. */
  readonly page?: string;
}

export const errorTable = {
  Configuration: {
    "setting-missing": {
      looks: ["no … is set (…)", "createClient: the option … is required, and must be a string"],
      cause: "The API key or the base URL is missing.",
      remedy:
        "Set it where the message says. `refresh` and `destroy` use the configuration saved in the state: for them, use the environment.",
      page: "docs/configuration.md",
    },
    "setting-invalid": {
      looks: ["given … ; allowed:", "; allowed: … a number above 0", "createClient: there is no option"],
      cause: "A setting has a value that is not allowed, or an option does not exist.",
      remedy: "Give one of the allowed values.",
      page: "docs/configuration.md",
    },
    "setting-misspelt": {
      looks: ["there is no setting", "there is no such setting"],
      cause: "A setting is misspelled, so the protection that you asked for would not apply.",
      remedy: "Correct the name.",
      page: "docs/configuration.md",
    },
    "key-in-setting": {
      looks: ["given a value that contains the API key"],
      cause: "Another setting contains the API key. The message does not show it.",
      remedy: "Correct the setting. If its value is stored in plain text, revoke the key.",
    },
    "key-invalid": {
      looks: ["the API key is empty", "the API key contains a space, or a character that is not printable ASCII"],
      cause: "The value that is set cannot be an API key. Often a line break or a quote was copied with it.",
      remedy: "Set the key again.",
    },
    "base-url-invalid": {
      looks: ["the base URL is"],
      cause: "The base URL is not the address of an API.",
      remedy: "Give the address with its version segment, like `https://cloud.example.com/api/v1`.",
      page: "docs/configuration.md",
    },
    "plain-http": {
      looks: ["uses plain http, so anybody on the network can read the API key"],
      cause: "The base URL is `http` and names another machine.",
      remedy: "Use `https`, or allow plain http if the network is safe.",
      page: "docs/configuration.md#where-the-key-may-go",
    },
    "address-not-confirmed": {
      looks: ["the API key of the environment is not sent to"],
      cause:
        "A command takes the key from the environment and found the address in the stack's configuration, which anybody who can write to the repository can change.",
      remedy:
        "Confirm the address with `DBCLOUD_BASE_URL` or `--base-url`, or allow its host permanently with `DBCLOUD_ALLOWED_HOSTS`.",
      page: "docs/configuration.md#where-the-key-may-go",
    },
    "address-not-allowed": {
      looks: ["; allowed: only … because"],
      cause: "`DBCLOUD_ONLY_BASE_URL` allows one address, and this is another one. Test stacks set it.",
      remedy: "Take the address from the environment, or unset the variable.",
    },
    "proxy-invalid": {
      looks: ["HTTPS_PROXY or HTTP_PROXY is not the address of a proxy"],
      cause: "A proxy variable is malformed.",
      remedy: "Write it like `http://proxy.example:3128`, or unset it.",
    },
    "project-not-set": {
      looks: ["no project is set (", ", and the key can access none", ", and the key can access …:"],
      cause: "No project is set, and the key can access none, or more than one.",
      remedy: "Set `dbcloud:projectId`.",
    },
    "node-too-old": {
      looks: ["is too old: the provider needs", "runs this: the provider needs Node.js"],
      cause:
        "Pulumi starts the `node` that comes first on the `PATH`, and that one is too old, or the program runs on Bun.",
      remedy: "Install a newer Node.js, and run the program with it.",
    },
  },
  "The program": {
    "invalid-input": {
      looks: [
        "given … ; allowed:",
        "given …, but",
        "… must be …",
        "the first argument must be its name",
        "and name; allowed: exactly one of them",
        "serviceLogs:",
      ],
      cause: "A value, or a combination of values, is not accepted.",
      remedy: "Give what the message allows.",
      page: "docs/reference.md",
    },
    "missing-input": {
      looks: ["… is missing; give …", "is missing, but …"],
      cause: "A required input is missing.",
      remedy: "Set it.",
      page: "docs/reference.md",
    },
    "unknown-input": {
      looks: ["there is no such argument", "there is no such member", "there is no argument", "there is no input"],
      cause:
        "An argument is misspelled, or belongs to another resource. Plain JavaScript has no compiler that finds it.",
      remedy: "Use the name that the message suggests.",
      page: "docs/reference.md",
    },
    "output-as-text": {
      looks: ["holds the text of a warning, because an Output was put into a string"],
      cause:
        "An `Output` has no value while the program runs, so `${output}` and `JSON.stringify(output)` give the text of a warning. It is refused, because it would otherwise become a password or an id.",
      remedy: "Use `pulumi.interpolate`, `pulumi.jsonStringify`, or `output.apply(value => …)`.",
    },
    "no-such-object": {
      looks: ["there is no", "has no node"],
      cause: "The project does not have the object. Ids and names are valid in one project only.",
      remedy: "Correct the id or the name, and check the project id.",
    },
    "name-not-unique": {
      looks: ["there are …", "could not tell which"],
      cause: "A look-up by name found several objects, or objects that it cannot read.",
      remedy: "Give the id.",
    },
    "not-the-same-region": {
      looks: ["is in … the service in"],
      cause: "A service can only be attached to a VPC of its own region.",
      remedy: "Give the id of a VPC of that region, or remove `vpcId`.",
      page: "docs/networking.md#services-in-a-vpc",
    },
    "no-connection-string": {
      looks: ["connectionString of"],
      cause: "A part of the connection string is missing or not allowed.",
      remedy: "Give the part that the message names.",
      page: "docs/passwords.md#connection-strings",
    },
    "import-option": {
      looks: ["option does not work for this resource"],
      cause: "Pulumi cannot import dynamic resources through the resource option `import`.",
      remedy: "Use `npx pulumi-dbcloud import`, or the input `adoptId`.",
      page: "docs/adopting.md#a-whole-project",
    },
    "options-exclude": {
      looks: ["exclude each other"],
      cause:
        "`deleteBeforeReplace` deletes the old object first, but the other option keeps it and its name, so a replacement would fail.",
      remedy: "Leave out one of them.",
    },
    "id-is-output": {
      looks: ["is an output. To adopt an existing object, set"],
      cause: "The id of an object is given as an input.",
      remedy: "Set `adoptId` to adopt an object, or use `get` to read it.",
      page: "docs/adopting.md",
    },
    "unknown-in-preview": {
      looks: ["is not known during this preview"],
      cause: "A look-up uses a `Provider` whose settings are not known yet.",
      remedy: "Use the function whose name ends in `Output`.",
    },
    "unknown-type": {
      looks: ["there is no resource type", "there is no function"],
      cause: "The program was written for another version of the plugin.",
      remedy: "Use the same version of SDK and plugin.",
      page: "docs/plugin.md",
    },
  },
  "A name that is taken, and adoption": {
    "name-taken": {
      looks: ["there is already … ; nothing was created"],
      cause:
        "An object with that name exists. It may belong to another stack or team, to another resource of this program, or to an interrupted run: the provider cannot always tell.",
      remedy: `- To create a separate object, set another \`name\`, or \`allowDuplicateName: true\` for a second one of this name.
- After a rename in the program, add the old name to the resource option \`aliases\`.
- To manage the existing object, adopt it, if no other stack manages it: see the page "Adopting what exists". \`npx pulumi-dbcloud drift --all-stacks\` shows what other stacks manage.
- Set \`password\` on an adopted service, because the API doesn't return its password.`,
      page: "docs/recovery.md#a-name-is-taken",
    },
    "declared-twice": {
      looks: ["already belongs to another resource of this program", "is declared twice, also by"],
      cause: "Two resources of the program refer to the same object.",
      remedy: "Give one of them another `name`, or remove one.",
    },
    "adoption-ambiguous": {
      looks: ["several match, and nothing was created"],
      cause: "Several objects have the name that `DBCLOUD_ADOPT` gives.",
      remedy: "Give the id of one.",
    },
    "adoption-differs": {
      looks: ["cannot be adopted, because it differs in what cannot change"],
      cause: "The program and the object differ in an input that cannot change.",
      remedy: "Change the program to match the object, or remove the adoption.",
      page: "docs/adopting.md",
    },
    "nothing-to-adopt": {
      looks: ["adoptId: there is no … ; nothing was created"],
      cause: "`adoptId` names no object that can be adopted.",
      remedy: "Correct the id, or remove `adoptId` to create a new object.",
      page: "docs/adopting.md",
    },
    "name-moves": {
      looks: ["… and one of them is protected; nothing was changed"],
      cause:
        "The program gives a service the name of another one, and one of the two is production. The data does not move with the name. Often an index of a loop has shifted.",
      remedy:
        "Name the resources by what they hold, with `aliases`. To move the name anyway, free it in an earlier run, or set `allowDuplicateName: true`.",
    },
    "outcome-unknown": {
      looks: ["the answer was lost (", "the answer to an earlier create of it in this run was lost"],
      cause: "A create was sent, its answer was lost, and the lists do not show for certain whether it took effect.",
      remedy:
        "Check the console, then run `pulumi up` again: it looks before it creates. If the message names an object that is yours, adopt it by its id.",
      page: "docs/recovery.md#a-name-is-taken",
    },
  },
  "What cannot change": {
    "cannot-change": {
      looks: ["… cannot change from … to"],
      cause: "The API cannot change this input, and a replacement would lose the data.",
      remedy:
        "Keep the old value. To give up the data and get a new, empty object, set `allowReplace: true` for one run.",
      page: "README.md#what-a-change-does",
    },
    "source-replaced": {
      looks: ["cannot change, and this run replaces the object that it names"],
      cause: "An input that cannot change names an object that this run replaces.",
      remedy: "Remove the input from the program, or replace the other object in a separate run.",
      page: "docs/forks.md",
    },
    "replacement-not-previewed": {
      looks: ["names an object that this run created"],
      cause: "The id became known only during the run, so the preview could not show that this object is replaced.",
      remedy: "Run `pulumi up` again, and read its preview.",
    },
    "import-differs": {
      looks: ["was imported and never read, and it differs in what cannot change"],
      cause: "The program of an import does not match the object.",
      remedy: "Change the program, or run `pulumi refresh` first.",
      page: "docs/adopting.md",
    },
    "vpc-cannot-move": {
      looks: ["because services are attached that stay in their region"],
      cause: "A change would move a VPC with services in it to another region.",
      remedy: "Detach the services first, or declare a second VPC.",
      page: "docs/networking.md#replacing-a-vpc",
    },
    "moved-outside": {
      looks: ["the program drops VPC … but the service was moved outside Pulumi"],
      cause: "Somebody moved the service to another VPC.",
      remedy: "Set `vpcId` to the VPC that it is in, or run `pulumi refresh` first to detach it.",
      page: "docs/networking.md#services-in-a-vpc",
    },
  },
  "Refused deletes and replacements": {
    protected: {
      looks: ["is protected against deletion"],
      cause: 'The state stores `deletionProtection: true`, given by the program or by `environment: "PROD"`.',
      remedy:
        "Set `deletionProtection: false`, run `pulumi up`, then delete. To stop managing it and keep it, use `pulumi state delete` or `retainOnDelete`.",
      page: "docs/production.md#delete-a-protected-service",
    },
    "tagged-prod": {
      looks: ["has the environment tag PROD, which the state does not record"],
      cause: "Somebody tagged the service PROD since the last refresh.",
      remedy: "Remove the tag, or set `deletionProtection: false` and run `pulumi up --refresh`.",
      page: "docs/production.md#delete-a-protected-service",
    },
    "owner-protected": {
      looks: [
        "which is protected against deletion and not kept by this run",
        "which has the environment tag PROD and is not kept by this run",
      ],
      cause: "A read replica set of a protected service would be deleted together with that service.",
      remedy: "Keep the service in the program to delete the set alone, or unprotect the service.",
      page: "docs/replicas-and-ha.md#protection",
    },
    "adopted-unconfirmed": {
      looks: ["was adopted after the answer to its create was lost"],
      cause: "Nobody has confirmed that the object is the one that the create made.",
      remedy: "If it is yours, set `adoptId` and run `pulumi up`. If it is not, run `pulumi state delete`.",
    },
    "two-entries": {
      looks: ["has two entries in the state, and the other one is protected"],
      cause: "Two entries of the state refer to the same object, and one of them protects it.",
      remedy: "Run `pulumi up`: it drops the obsolete entry from the state and keeps the object.",
      page: "docs/recovery.md#one-object-in-two-entries",
    },
    claimed: {
      looks: ["… that adoption has not succeeded"],
      cause: "Another resource, or `DBCLOUD_ADOPT`, claims the object, and its adoption has not succeeded.",
      remedy:
        "Fix what stopped it, then run `pulumi up` without `--replace` and `--target-replace`; or remove the adoption for one `pulumi up`.",
    },
    "keeps-its-name": {
      looks: ['would be stopped and left (onDelete: "stop")'],
      cause:
        '`deleteBeforeReplace` with `onDelete: "stop"`: the stopped service would keep the name that the new one needs.',
      remedy: "Remove `deleteBeforeReplace`, and give the new one another `name` or `allowDuplicateName: true`.",
    },
    "after-failure": {
      looks: [
        "was not declared in this run, perhaps because the program ended when",
        "the program has failed, so nothing is deleted",
      ],
      cause:
        "With `--continue-on-error`, in inline programs, and in Go, Pulumi also deletes what the program did not register because of an error.",
      remedy: "Correct what failed, then run `pulumi up` again. For a look-up that may fail, use `getServices`.",
    },
    "tag-unreadable": {
      looks: ["cannot be read"],
      cause: "The live service may be tagged PROD, and it could not be read.",
      remedy:
        "Run the command again once the server answers, with a longer time in `timeouts` if it ran out. For a service that can no longer be read, set `deletionProtection: false` and run `pulumi up`, which saves that without calling the API.",
    },
    "not-empty": {
      looks: ["because objects that stay are in it"],
      cause: "A VPC or a service cannot be deleted while something in it stays.",
      remedy: "Move it out or delete it. To keep the VPC, remove it from the state with `pulumi state delete`.",
      page: "docs/networking.md#deleting-a-vpc",
    },
    "delete-refused": {
      looks: ["; nothing was deleted"],
      cause: "The server refused the delete repeatedly, and nothing that the provider can see is in the way.",
      remedy: "Check the console. To leave the object in the cloud, run `pulumi state delete` with its URN.",
    },
    "deleted-before-move": {
      looks: ["which would be deleted before its replacement is created"],
      cause: "`deleteBeforeReplace` is set on a VPC with something in it.",
      remedy: "Remove the option from the VPC.",
      page: "docs/networking.md#replacing-a-vpc",
    },
  },
  "Other refusals": {
    "read-only": {
      looks: ["refused, because … ; nothing was sent"],
      cause: "Read-only mode is on.",
      remedy: "Unset what the message names.",
      page: "docs/production.md#read-only-mode",
    },
    "gone-and-kept": {
      looks: ["is gone: project … answers and does not have it"],
      cause: "A protected service was deleted outside Pulumi. It stays in the state so that no empty one replaces it.",
      remedy:
        "Restore it; or follow the message to get a new, empty one, then remove both inputs it names, or that one stays unprotected. To stop managing it, use `pulumi state delete`.",
      page: "docs/reliability.md#5-missing-objects-are-confirmed",
    },
    "other-deployment": {
      looks: ["this may be another deployment; nothing was changed"],
      cause: "The address has changed, and the object is not there.",
      remedy:
        "Set the right address. If the same deployment has a new address, set `DBCLOUD_FORMER_BASE_URL` to the old one. The objects of an emulator that ran without `--data` are gone with it: run `pulumi state delete URN --target-dependents` for each, with the URNs of `pulumi stack --show-urns`.",
    },
    "not-offered": {
      looks: ["this server does not offer it", "this server or plan does not offer it"],
      cause: "The server, or the plan of the account, lacks an operation that the contract does not show.",
      remedy:
        "Do what the message names. If the service has already been replaced (the preview shows `delete original`), delete it in the console, by its id, and run `pulumi up` again.",
      page: "docs/limits.md#where-the-contract-is-silent",
    },
    "run-not-shared": {
      looks: ["could not announce it to the other providers of this run"],
      cause: "The providers of one run exchange what they adopt and delete through files, and no file can be written.",
      remedy: "Set `PULUMI_HOME` to a writable folder.",
    },
    "one-account": {
      looks: ["one plugin process serves one provider"],
      cause: "The program uses two accounts while the plugin is attached by `PULUMI_DEBUG_PROVIDERS`.",
      remedy: "Use one account while the plugin is attached.",
      page: "docs/plugin.md",
    },
    "id-needs-parent": {
      looks: ["is inside another object, so its id here must name that one too"],
      cause: "`pulumi import` was given the id of a peering or a read replica set alone.",
      remedy: "Give `VPC/ID` or `SERVICE/ID`.",
      page: "docs/plugin.md#importing",
    },
    "run-ended": {
      looks: [
        "the Pulumi engine has ended, so nothing more is sent",
        "the command was canceled, so nothing more is sent",
      ],
      cause: "Pulumi was killed, or you pressed Ctrl-C.",
      remedy: "Run the command again.",
      page: "docs/recovery.md#a-run-was-killed",
    },
  },
  "What the API answered": {
    "key-refused": {
      looks: ["… 401 …"],
      cause: "The server does not accept the API key.",
      remedy: "Set the right key.",
      page: "docs/configuration.md",
    },
    forbidden: {
      looks: ["… 403 …", "… 402 …"],
      cause: 'The key, or the plan of the account, does not allow the operation. It never counts as "gone".',
      remedy: "Use a key of this project that may do it.",
    },
    "not-found": {
      looks: ["… 404 …", "… 410 …"],
      cause:
        "The server does not have the object that the request names. That alone does not prove that the object is gone.",
      remedy: "Check the id and the project id.",
      page: "docs/reliability.md#5-missing-objects-are-confirmed",
    },
    "route-missing": {
      looks: ["… 405 …", "… 501 …"],
      cause: "The server does not offer the operation.",
      remedy: "Check the base URL. If it is right, this server does not have the operation.",
      page: "docs/limits.md#where-the-contract-is-silent",
    },
    "request-rejected": {
      looks: ["… 400 …", "… 422 …"],
      cause: "The server does not accept the request. It is not sent again.",
      remedy: "Correct the value that the server names.",
    },
    conflict: {
      looks: ["… 409 …", "… 423 …"],
      cause: "The server refused the change repeatedly: another change was under way, or the object does not allow it.",
      remedy: "Do what the server says, and run the command again when no other change is under way.",
      page: "docs/recovery.md#the-server-doesnt-answer-or-refuses",
    },
    "too-early": {
      looks: ["… doesn't yet have any backups or snapshots …"],
      cause: "The service is too new to be forked or to get replicas. The provider waits for it until the deadline.",
      remedy: "Run the command again later.",
    },
    "rate-limited": {
      looks: ["… 429 …"],
      cause: "The server was still limiting requests when the deadline passed.",
      remedy: "Run the command again, with a lower `dbcloud:maxRequestsPerSecond` if it happens often.",
      page: "docs/configuration.md",
    },
    "server-error": {
      looks: ["… 500 …", "… 503 …", "… 408 …"],
      cause: "The server failed. Reads were repeated until the deadline.",
      remedy: "Run the command again once the server answers.",
      page: "docs/recovery.md#the-server-doesnt-answer-or-refuses",
    },
    "no-answer": {
      looks: ["no answer before the deadline", "the API did not answer in time", "… cannot be reached"],
      cause: "The server could not be reached, or did not answer in time.",
      remedy: "Check the address and the network, then run the command again.",
    },
  },
  "Answers that cannot be used": {
    "broken-answer": {
      looks: ["the answer does not match the contract", "which does not match the contract."],
      cause: "The body has wrong or missing members, is the body of a refusal, or is a page of HTML.",
      remedy: "Check `dbcloud:baseUrl`; otherwise the server and this version of the provider disagree.",
    },
    "old-id-answered": {
      looks: ["the answer has the id of one that was there before"],
      cause: "The server answered a create with an object that already existed.",
      remedy: "Report it to whoever operates the server.",
    },
    "list-unreadable": {
      looks: ["but an entry that cannot be read may be it"],
      cause: "The list lacks the object and has an item that cannot be read.",
      remedy: "Run the command again once the list can be read.",
    },
    "gone-but-listed": {
      looks: ["but its list still has it"],
      cause: "One answer says that the object is gone, and the list has it.",
      remedy: "Run the command again.",
    },
    "not-shown-yet": {
      looks: ["was created a moment ago and is not visible yet"],
      cause: "The server does not show the new object yet.",
      remedy: "Run the refresh again in two minutes.",
    },
    "gone-too-short": {
      looks: ["so it does not count as gone; the state is unchanged"],
      cause: "`timeouts.read` ended before the object had been missing for long enough.",
      remedy: "Set a longer `timeouts.read`.",
      page: "docs/reliability.md#5-missing-objects-are-confirmed",
    },
    "all-gone": {
      looks: ["at all: this may be an outage, so the state is unchanged"],
      cause: "Several objects are missing and the project shows none, as in an outage of the server.",
      remedy: "Check the console. If all of them were deleted, run once with `DBCLOUD_BELIEVE_GONE=<project id>`.",
      page: "docs/reliability.md#5-missing-objects-are-confirmed",
    },
    "empty-log-pages": {
      looks: ["pages in a row without an entry"],
      cause: "The log has more pages, but they are empty.",
      remedy: "Ask for a shorter period.",
    },
  },
  Waits: {
    "timed-out": {
      looks: ["not done after"],
      cause: "The deadline passed. The message counts the statuses that it saw.",
      remedy: "If it is only slow, set a longer time in `timeouts`.",
    },
    busy: {
      looks: ["; still so after", "is in use"],
      cause: "Something else kept the object busy until the deadline, or its contents were still leaving.",
      remedy: "Run the command again when that has finished.",
    },
    "not-accepting": {
      looks: ["accepts no connections, …"],
      cause: '`waitFor: "accepting"` is set, and the address does not answer as PostgreSQL does.',
      remedy: 'Run `pulumi up` again to wait again, or set `waitFor: "ready"`.',
    },
    "contents-unknown": {
      looks: ["the lists of its contents could not be read"],
      cause: "A VPC is deleted only when its contents are known.",
      remedy: "Run the command again once the server answers.",
    },
    "object-failed": {
      looks: ["it failed (", "something other than this run is deleting it ("],
      cause: "The object failed, or something else is deleting it.",
      remedy:
        "Check the console. The next `pulumi up` reads it again, and continues if it can. To create it again, run `pulumi destroy --target URN`, then `pulumi up`.",
    },
    vanished: {
      looks: ["it is no longer there"],
      cause: "The object disappeared during the wait.",
      remedy: "Run `pulumi refresh`.",
    },
    unfinished: {
      looks: ["exists and is kept in the state, but is not as declared yet."],
      cause: "A bug in this package ended a run early. The object and its id are in the state.",
      remedy: "Run `pulumi up` again: it does only what is missing. Report the bug.",
    },
  },
  Commands: {
    "emulator-not-ended": {
      looks: ["is still running after 30 s"],
      cause: "`emulator --stop` told the emulator's process to end, but it is still running.",
      remedy: "End the process that the message names.",
      page: "docs/emulator.md",
    },
    "log-too-long": {
      looks: ["there are more than … entries"],
      cause: "There are more log entries than one call prints.",
      remedy: "Use `--limit`, or a shorter time.",
    },
    "log-without-times": {
      looks: ["so --follow cannot tell new ones"],
      cause: "The server sends log texts without times.",
      remedy: "Run `logs` without `--follow`.",
    },
    "state-unreadable": {
      looks: ["cannot be read:", "gave no state: JSON with a member"],
      cause: "The file is not a Pulumi state.",
      remedy: "Give a file that `pulumi stack export` wrote.",
      page: "docs/drift.md",
    },
    "stack-unreadable": {
      looks: ["…: …"],
      cause: "The Pulumi CLI could not read a stack.",
      remedy: "To see why, run the command that the message names.",
      page: "docs/drift.md",
    },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, ErrorRow>>>>;

type Table = typeof errorTable;
export type ErrorName = { [Group in keyof Table]: keyof Table[Group] }[keyof Table];
