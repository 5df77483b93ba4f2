// Two resources inside a database: its migrations, and a role that can log in. They run where Pulumi's dynamic providers
// run, so that a preview connects to nothing, and a change is shown before it is made.
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { Client } from "pg";

interface Migration {
  name: string;
  sql: string;
  checksum: string;
}

interface MigrationsInputs {
  url: string;
  migrations: Migration[];
}

interface MigrationsOutputs extends MigrationsInputs {
  applied: string[];
}

/** Applies what is missing, each file in a transaction of its own, and remembers it in a table. */
async function migrate({ url, migrations }: MigrationsInputs): Promise<{ applied: string[] }> {
  return connected(url, async (client) => {
    // Of two runs at once, one waits.
    await client.query("SELECT pg_advisory_lock(7341)");
    await client.query("CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, checksum text NOT NULL)");
    const { rows } = await client.query<{ name: string; checksum: string }>("SELECT name, checksum FROM migrations");
    for (const { name, sql, checksum } of migrations) {
      const known = rows.find((row) => row.name === name);
      if (known !== undefined && known.checksum !== checksum) throw new Error(changed(name));
      if (known !== undefined) continue;
      await client.query("BEGIN");
      try {
        await client.query(sql);
        await client.query("INSERT INTO migrations VALUES ($1, $2)", [name, checksum]);
        await client.query("COMMIT");
      } catch (error) {
        throw new Error(`migration ${name}: ${error instanceof Error ? error.message : String(error)}`, {
          cause: error,
        });
      }
    }
    return { applied: migrations.map(({ name }) => name) };
  });
}

function changed(name: string): string {
  return `migration ${name} was changed after it had been applied: write a new one instead`;
}

async function connected<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

// A delete does nothing: tables go with their service, and taking this resource out of the program loses no data.
const migrationsProvider: pulumi.dynamic.ResourceProvider<MigrationsInputs, MigrationsOutputs> = {
  async check(olds, news) {
    // Before the first `up` there is nothing.
    const before = (olds as Partial<MigrationsInputs>).migrations ?? [];
    const edited = news.migrations.filter(({ name, checksum }) =>
      before.some((old) => old.name === name && old.checksum !== checksum),
    );
    return { inputs: news, failures: edited.map(({ name }) => ({ property: "", reason: changed(name) })) };
  },
  create: async (inputs) => ({ id: "migrations", outs: { ...inputs, ...(await migrate(inputs)) } }),
  update: async (_id, _olds, inputs) => ({ outs: { ...inputs, ...(await migrate(inputs)) } }),
};

export interface MigrationsArgs {
  /** Of the owner of the database. */
  url: pulumi.Input<string>;
  /** Its `.sql` files are applied in the order of their names. */
  folder: string;
}

export class Migrations extends pulumi.dynamic.Resource {
  declare readonly applied: pulumi.Output<string[]>;

  constructor(name: string, { url, folder }: MigrationsArgs, opts?: pulumi.CustomResourceOptions) {
    const files = fs.readdirSync(folder).filter((file) => file.endsWith(".sql"));
    const migrations = files.toSorted().map((file): Migration => {
      const sql = fs.readFileSync(path.join(folder, file), "utf8");
      return { name: file, sql, checksum: createHash("sha256").update(sql).digest("hex") };
    });
    super(migrationsProvider, name, { url: pulumi.secret(url), migrations, applied: undefined }, opts);
  }
}

interface LoginRoleInputs {
  url: string;
  name: string;
  password: string;
  memberOf: string;
}

interface LoginRoleOutputs extends LoginRoleInputs {
  connectionString: string;
}

/** Creates the role or sets its password. */
async function setRole({ url, name, password, memberOf }: LoginRoleInputs): Promise<{ connectionString: string }> {
  await connected(url, async (client) => {
    const role = client.escapeIdentifier(name);
    const { rowCount } = await client.query("SELECT FROM pg_roles WHERE rolname = $1", [name]);
    const verb = rowCount === 0 ? "CREATE" : "ALTER";
    await client.query(`${verb} ROLE ${role} LOGIN PASSWORD ${client.escapeLiteral(password)}`);
    await client.query(`GRANT ${client.escapeIdentifier(memberOf)} TO ${role}`);
  });
  const own = new URL(url);
  own.username = encodeURIComponent(name);
  own.password = encodeURIComponent(password);
  return { connectionString: own.href };
}

const loginRoleProvider: pulumi.dynamic.ResourceProvider<LoginRoleInputs, LoginRoleOutputs> = {
  diff: async (_id, olds, news) => ({ replaces: olds.name === news.name ? [] : ["name"] }),
  create: async (inputs) => ({ id: inputs.name, outs: { ...inputs, ...(await setRole(inputs)) } }),
  update: async (_id, _olds, inputs) => ({ outs: { ...inputs, ...(await setRole(inputs)) } }),
  async delete(_id, { url, name }) {
    await connected(url, async (client) => {
      await client.query(`DROP ROLE IF EXISTS ${client.escapeIdentifier(name)}`);
    });
  },
};

export interface LoginRoleArgs {
  /** Of a role that may create roles. */
  url: pulumi.Input<string>;
  /** A change makes a new role. */
  name: pulumi.Input<string>;
  password: pulumi.Input<string>;
  /** The role whose rights it has. */
  memberOf: pulumi.Input<string>;
}

export class LoginRole extends pulumi.dynamic.Resource {
  declare readonly connectionString: pulumi.Output<string>;

  constructor(name: string, args: LoginRoleArgs, opts?: pulumi.CustomResourceOptions) {
    const { url, password } = args;
    const secrets = { url: pulumi.secret(url), password: pulumi.secret(password), connectionString: undefined };
    const options = pulumi.mergeOptions({ additionalSecretOutputs: ["connectionString"] }, opts);
    super(loginRoleProvider, name, { ...args, ...secrets }, options);
  }
}
