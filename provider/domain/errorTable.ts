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
      looks: ["… is not set", "createClient: the option … is needed, and must be a string"],
      cause: "The key or the address is missing.",
      remedy:
        "Set it where the message says. `refresh` and `destroy` use the configuration kept in the state: use the environment there.",
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
      cause: "A setting is misspelt, and without it you would not have the protection that you asked for.",
      remedy: "Correct the name.",
      page: "docs/configuration.md",
    },
    "key-in-setting": {
      looks: ["given a text that holds the API key"],
      cause: "Another setting holds the API key. The message does not show it.",
      remedy: "Correct the setting. If its value was stored in plain text, revoke the key.",
    },
    "key-invalid": {
      looks: ["the API key is empty", "the API key holds characters that no HTTP header can carry"],
      cause: "What is set as the API key cannot be one. Often a line break or a quote was copied with it.",
      remedy: "Set the key again.",
    },
    "base-url-invalid": {
      looks: ["the base URL is"],
      cause: "The base URL is not the address of an API.",
      remedy: "Give the address with its version segment, like `https://cloud.example.com/api/v1`.",
      page: "docs/configuration.md",
    },
    "plain-http": {
      looks: ["is plain http, over which anybody on the way can read the API key"],
      cause: "The base URL is `http` and names another machine.",
      remedy: "Use `https`, or allow plain http where the way is safe.",
      page: "docs/configuration.md#where-the-key-may-go",
    },
    "address-not-confirmed": {
      looks: ["the API key of the environment is not sent to"],
      cause:
        "A command takes the key from the environment and found the address in the stack's configuration, which anybody who can write to the repository can change.",
      remedy: "Confirm the address with `DBCLOUD_BASE_URL` or `--base-url`, or allow its host for good.",
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
      remedy: "Correct or unset it.",
    },
    "project-not-set": {
      looks: ["no project: the key sees none", "which project? The key sees"],
      cause: "No project is named, and the key can see none, or more than one.",
      remedy: "Set `dbcloud:projectId`.",
    },
    "node-too-old": {
      looks: ["is too old: the provider needs", "runs this: the provider needs Node.js"],
      cause:
        "Pulumi starts the `node` that comes first on the `PATH`, and that one is too old, or the program runs on Bun.",
      remedy: "Install a newer one, and run the program with Node.js.",
    },
  },
  "The program": {
    "invalid-input": {
      looks: [
        "given … ; allowed:",
        "given …, but",
        "… must be …",
        "its name in the program comes first",
        "and name; allowed: exactly one of them",
        "serviceLogs:",
      ],
      cause: "A value, or a combination of values, is not accepted.",
      remedy: "Give what the message allows.",
      page: "docs/reference.md",
    },
    "missing-input": {
      looks: ["… is missing; give …", "is missing, but …"],
      cause: "An input that the resource needs is not given.",
      remedy: "Give it.",
      page: "docs/reference.md",
    },
    "unknown-input": {
      looks: ["there is no such argument", "there is no such member", "there is no argument", "there is no input"],
      cause: "An argument is misspelt, or belongs to another resource. In plain JavaScript no compiler finds it.",
      remedy: "Use the name that the message suggests.",
      page: "docs/reference.md",
    },
    "output-as-text": {
      looks: ["holds the text of a warning, because an Output was put into a string"],
      cause:
        "An `Output` has no value while the program runs, so `${output}` and `JSON.stringify(output)` give the text of a warning of Pulumi. It is refused, or it would become a password or an id.",
      remedy: "Use `pulumi.interpolate`, `pulumi.jsonStringify`, or `output.apply(value => …)`.",
    },
    "no-such-object": {
      looks: ["there is no", "has no node"],
      cause: "The project does not have the object. Ids and names belong to one project.",
      remedy: "Correct the id or the name, and check the project id.",
    },
    "name-not-unique": {
      looks: ["there are …", "could not tell which"],
      cause: "A look-up by name finds several objects, or objects that it cannot read.",
      remedy: "Give the id.",
    },
    "not-the-same-region": {
      looks: ["is in … the service in"],
      cause: "A service can only be attached to a VPC of its own region.",
      remedy: "Give the id of a VPC of that region, or take `vpcId` out.",
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
      remedy: "Use `pulumi-dbcloud import`, or the input `adoptId`.",
      page: "docs/adopting.md#a-whole-project",
    },
    "options-exclude": {
      looks: ["exclude each other"],
      cause:
        "With `deleteBeforeReplace` the old object goes first, and with the other option it stays and keeps its name, so that a replacement would fail.",
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
      cause: "A look-up uses a `Provider` whose settings this run still has to find out.",
      remedy: "Use the function whose name ends in `Output`.",
    },
    "unknown-type": {
      looks: ["there is no resource type", "there is no function"],
      cause: "The program was made for another version of the plugin.",
      remedy: "Use the SDK and the plugin of one version.",
      page: "docs/plugin.md",
    },
  },
  "A name that is taken, and adoption": {
    "name-taken": {
      looks: ["there is already … ; nothing was created"],
      cause:
        "An object of that name exists. It may belong to another stack or team, be left from an interrupted run, or be another resource of this program: the provider cannot always tell.",
      remedy:
        "Give yours another `name`. After a rename in the program, use the resource option `aliases` to keep the object. Adopt it only if no other stack manages it (`pulumi-dbcloud drift --all-stacks` names what other stacks hold), and set `password` then, because nobody knows the password of an adopted service. `allowDuplicateName: true` allows two objects of one name.",
      page: "docs/recovery.md#a-name-is-taken",
    },
    "declared-twice": {
      looks: ["is another resource of this program already", "is declared twice, also by"],
      cause: "Two resources of the program mean one object.",
      remedy: "Give one of them another `name`, or drop one.",
    },
    "adoption-ambiguous": {
      looks: ["several fit, and nothing was created"],
      cause: "`DBCLOUD_ADOPT` has a name that several objects have.",
      remedy: "Name one by its id.",
    },
    "adoption-differs": {
      looks: ["cannot be adopted, because it differs in what cannot change"],
      cause: "The program and the object differ in an input that cannot change.",
      remedy: "Change the program to match the object, or drop the adoption.",
      page: "docs/adopting.md",
    },
    "nothing-to-adopt": {
      looks: ["adoptId: there is no … ; nothing was created"],
      cause: "`adoptId` names no object that can be adopted.",
      remedy: "Correct the id, or drop `adoptId` to create a new object.",
      page: "docs/adopting.md",
    },
    "name-moves": {
      looks: ["… and one of them is protected; nothing was changed"],
      cause:
        "The program gives a service the name of another one, and one of the two is production. The data do not move with the name. Often an index of a loop has shifted.",
      remedy:
        "Name the resources by what they hold, with `aliases`. To move the name, give it up in a run before, or set `allowDuplicateName: true`.",
    },
    "outcome-unknown": {
      looks: ["the answer was lost (", "an earlier create of it in this run lost its answer"],
      cause: "A create was sent, its answer was lost, and the lists do not show for sure what became of it.",
      remedy:
        "Check the console once, then run `pulumi up` again: it reads before it creates. If the message names an object that is yours, adopt it by its id.",
      page: "docs/recovery.md#a-name-is-taken",
    },
  },
  "What cannot change": {
    "cannot-change": {
      looks: ["… cannot change from … to"],
      cause: "The API cannot change this input, and a replacement would lose the data.",
      remedy: "Keep the old value. To replace the object with its data, set `allowReplace: true` for one run.",
      page: "README.md#what-a-change-does",
    },
    "source-replaced": {
      looks: ["cannot change, and this run replaces the object that it names"],
      cause: "An input that cannot change names an object that this run replaces.",
      remedy: "Take the input out of the program, or replace the other object in a run of its own.",
      page: "docs/forks.md",
    },
    "replacement-not-previewed": {
      looks: ["names an object that this run has made"],
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
      cause: "A VPC with services in it is to move to another region.",
      remedy: "Take the services out first, or declare a second VPC.",
      page: "docs/networking.md#replacing-a-vpc",
    },
    "moved-outside": {
      looks: ["the program drops VPC … but the service was moved outside Pulumi"],
      cause: "Somebody moved the service to another VPC.",
      remedy: "Set `vpcId` to the VPC that it is in, or run `pulumi refresh` first to take it out.",
      page: "docs/networking.md#services-in-a-vpc",
    },
  },
  "Refused deletes and replacements": {
    protected: {
      looks: ["is protected against deletion"],
      cause: 'The state stores `deletionProtection: true`, given by the program or by `environment: "PROD"`.',
      remedy:
        "Set `deletionProtection: false`, run `pulumi up`, then delete. To only forget the object: `pulumi state delete`, or `retainOnDelete`.",
      page: "docs/production.md#delete-a-protected-service",
    },
    "tagged-prod": {
      looks: ["has the environment tag PROD, which this entry of the state does not know"],
      cause: "Somebody tagged the service PROD since the last refresh.",
      remedy: "Take the tag off, or set `deletionProtection: false` and run `pulumi up --refresh`.",
      page: "docs/production.md#delete-a-protected-service",
    },
    "owner-protected": {
      looks: [
        "which is protected against deletion and which this run does not keep",
        "which has the environment tag PROD, so that it is protected",
      ],
      cause: "A read replica set of a protected service would be deleted together with that service.",
      remedy: "Keep the service in the program to delete the set alone, or take the protection off the service.",
      page: "docs/replicas-and-ha.md#protection",
    },
    "adopted-unconfirmed": {
      looks: ["was taken after the answer of its create was lost"],
      cause: "Nobody has confirmed that the object is the one that the create made.",
      remedy: "If it is yours, set `adoptId` and run `pulumi up`. If it is not, run `pulumi state delete`.",
    },
    "two-entries": {
      looks: ["has two entries in the state, and the other one is protected"],
      cause: "Two entries of the state mean one object, and one of them protects it.",
      remedy: "Run `pulumi up`: the entry that is to be deleted leaves the state, and the object stays.",
      page: "docs/recovery.md#one-object-in-two-entries",
    },
    claimed: {
      looks: ["… that adoption has not succeeded"],
      cause: "Another resource, or `DBCLOUD_ADOPT`, is to adopt the object and has not done so.",
      remedy:
        "Correct what stopped it, and run `pulumi up` without `--replace` and `--target-replace`; or take the adoption out for one `pulumi up`.",
    },
    "keeps-its-name": {
      looks: ['would be stopped and left (onDelete: "stop")'],
      cause:
        '`deleteBeforeReplace` with `onDelete: "stop"`: the stopped service would keep the name that the new one needs.',
      remedy: "Take `deleteBeforeReplace` off, and give the new one another `name` or `allowDuplicateName: true`.",
    },
    "tag-unreadable": {
      looks: ["cannot be read"],
      cause: "The live service may be tagged PROD, and it could not be read.",
      remedy:
        "Run the command again once the server answers, with more time in `timeouts` if it was short. For a service that nobody can read any more, set `deletionProtection: false` and run `pulumi up`, which saves that without a call.",
    },
    "not-empty": {
      looks: ["because objects that stay are in it"],
      cause: "A VPC or a service is to be deleted, and something in it stays.",
      remedy: "Move it out or delete it. To keep the VPC, remove it from the state with `pulumi state delete`.",
      page: "docs/networking.md#deleting-a-vpc",
    },
    "delete-refused": {
      looks: ["; nothing was deleted"],
      cause: "The server refused the delete again and again, and shows nothing that is in the way.",
      remedy: "Check the console. To leave the object in the cloud, run `pulumi state delete` with its URN.",
    },
    "deleted-before-move": {
      looks: ["which is deleted before its successor is made"],
      cause: "`deleteBeforeReplace` is set on a VPC with something in it.",
      remedy: "Take the option off the VPC.",
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
        "Restore it; or do what the message says to get a new, empty one, and then take both inputs out again, or the new one stays unprotected. To only forget it: `pulumi state delete`.",
      page: "docs/reliability.md#5-gone-is-never-guessed",
    },
    "other-deployment": {
      looks: ["this may be another deployment; nothing was changed"],
      cause: "The address has changed, and the object is not there.",
      remedy:
        "Set the right address. If the same deployment has a new address, set `DBCLOUD_FORMER_BASE_URL` to the old one. The objects of an emulator that ran without `--data` are gone with it: run `pulumi state delete URN --target-dependents` for each, with the URNs of `pulumi stack --show-urns`.",
    },
    "not-offered": {
      looks: ["this server does not offer it", "this server or plan does not offer it"],
      cause: "The server, or the plan of the account, lacks an operation that the contract does not promise.",
      remedy:
        "Do what the message names. A service that a new one has replaced already (the preview shows `delete original`): delete it in the console, by its id, and run `pulumi up` again.",
      page: "docs/limits.md#where-the-contract-is-silent",
    },
    "run-not-shared": {
      looks: ["could not announce it to the other providers of this run"],
      cause:
        "The providers of one run tell each other in files what they adopt and delete, and no file can be written.",
      remedy: "Set `PULUMI_HOME` to a folder that can be written.",
    },
    "one-account": {
      looks: ["one plugin process serves one provider"],
      cause: "The program uses two accounts while the plugin is attached by `PULUMI_DEBUG_PROVIDERS`.",
      remedy: "Use one account meanwhile.",
      page: "docs/plugin.md",
    },
    "id-needs-parent": {
      looks: ["is inside another object, which its id here has to name"],
      cause: "`pulumi import` of a peering or a read replica set by its own id.",
      remedy: "Give `VPC/ID` or `SERVICE/ID`.",
      page: "docs/plugin.md#importing",
    },
    "run-ended": {
      looks: ["the engine is gone, and nothing more is sent", "the command was canceled, and nothing more is sent"],
      cause: "Pulumi was killed, or canceled with Ctrl-C.",
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
      cause: "The server does not have what the call names. That alone is no proof that an object of a stack is gone.",
      remedy: "Check the id and the project id.",
      page: "docs/reliability.md#5-gone-is-never-guessed",
    },
    "route-missing": {
      looks: ["… 405 …", "… 501 …"],
      cause: "The server does not offer the operation.",
      remedy: "Check the base URL; otherwise do without the operation.",
      page: "docs/limits.md#where-the-contract-is-silent",
    },
    "request-rejected": {
      looks: ["… 400 …", "… 422 …"],
      cause: "The server does not accept the request. It is not sent again.",
      remedy: "Correct the value that the server's words name.",
    },
    conflict: {
      looks: ["… 409 …", "… 423 …"],
      cause:
        "The server refused the change again and again: another change was under way, or something of the object forbids it.",
      remedy: "Do what the server's words say, and run the command again when any other change is over.",
      page: "docs/recovery.md#the-server-doesnt-answer-or-refuses",
    },
    "too-early": {
      looks: ["… doesn't yet have any backups or snapshots …"],
      cause: "The service is too young to be forked or to get replicas. The provider waits for it until the deadline.",
      remedy: "Run the command again later.",
    },
    "rate-limited": {
      looks: ["… 429 …"],
      cause: "The server asked us to slow down until the deadline passed.",
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
      cause: "The server could not be reached, or did not answer.",
      remedy: "Check the address and the network, then run the command again.",
    },
  },
  "Answers that cannot be used": {
    "broken-answer": {
      looks: ["the answer is not what the contract says", "which is not what the contract says."],
      cause: "The body has wrong or missing members, is the body of a refusal, or is a page of HTML.",
      remedy: "Check `dbcloud:baseUrl`; otherwise the server and this version of the provider disagree.",
    },
    "old-id-answered": {
      looks: ["the answer has the id of one that was there before"],
      cause: "The server answers a create with an older object.",
      remedy: "Report it to the operator of the server.",
    },
    "list-unreadable": {
      looks: ["and holds what cannot be read and may be it"],
      cause: "The list lacks the object and has an item that cannot be read.",
      remedy: "Run the command again once the server lists it readably.",
    },
    "gone-but-listed": {
      looks: ["but its list still has it"],
      cause: "One answer says that the object is gone, and the list has it.",
      remedy: "Run the command again.",
    },
    "not-shown-yet": {
      looks: ["was made a moment ago and does not show yet"],
      cause: "The server does not show a new object yet.",
      remedy: "Run the refresh again in two minutes.",
    },
    "gone-too-short": {
      looks: ["so it does not count as gone; the state is unchanged"],
      cause: "`timeouts.read` ended before the object had been missing for long enough.",
      remedy: "Give `timeouts.read` more time.",
      page: "docs/reliability.md#5-gone-is-never-guessed",
    },
    "all-gone": {
      looks: ["at all: that is not believed; the state is unchanged"],
      cause: "Several objects are missing and the project shows none, as after a loss of the server's own data.",
      remedy: "Check the console. If all of them were deleted, run once with `DBCLOUD_BELIEVE_GONE=<project id>`.",
      page: "docs/reliability.md#5-gone-is-never-guessed",
    },
    "empty-log-pages": {
      looks: ["pages in a row without an entry"],
      cause: "The log has more pages, and they hold no entries.",
      remedy: "Ask for a shorter time.",
    },
  },
  Waits: {
    "timed-out": {
      looks: ["not done after"],
      cause: "The deadline passed. The message counts the statuses that were seen.",
      remedy: "If it is only slow, give it more time with `timeouts`.",
    },
    busy: {
      looks: ["; still so after", "is in use"],
      cause: "Something else kept the object busy until the deadline, or what is in it was still leaving.",
      remedy: "Run the command again when that is over.",
    },
    "not-accepting": {
      looks: ["accepts no connections, …"],
      cause: '`waitFor: "accepting"` is set, and the address does not answer as PostgreSQL does.',
      remedy: 'Run `pulumi up` again to wait again, or set `waitFor: "ready"`.',
    },
    "contents-unknown": {
      looks: ["the lists of what is in it could not be read"],
      cause: "A VPC is to be deleted, and nobody can tell what is in it.",
      remedy: "Run the command again once the server answers.",
    },
    "object-failed": {
      looks: ["it failed (", "it is going or gone ("],
      cause: "The object failed, or something else deletes it.",
      remedy:
        "Check the console. The next `pulumi up` reads it again, and continues if it can. To make it anew: `pulumi destroy --target URN`, then `pulumi up`.",
    },
    vanished: {
      looks: ["it is no longer there"],
      cause: "The object went away during the wait.",
      remedy: "Run `pulumi refresh`.",
    },
    unfinished: {
      looks: ["exists and is kept in the state, but is not as declared yet."],
      cause: "A run ended early with a defect of this package. The object and its id are in the state.",
      remedy: "Run `pulumi up` again: it does only what is missing. Report the defect.",
    },
  },
  Commands: {
    "emulator-not-ended": {
      looks: ["has not ended after 30 s"],
      cause: "`emulator --stop` asked the process of the emulator to end, and it is still there.",
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
      cause: "A file is not a state of Pulumi.",
      remedy: "Give what `pulumi stack export` wrote.",
      page: "docs/drift.md",
    },
    "stack-unreadable": {
      looks: ["…: …"],
      cause: "The Pulumi CLI could not be asked for a stack.",
      remedy: "Run the command that the message names to see why.",
      page: "docs/drift.md",
    },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, ErrorRow>>>>;

type Table = typeof errorTable;
export type ErrorName = { [Group in keyof Table]: keyof Table[Group] }[keyof Table];
