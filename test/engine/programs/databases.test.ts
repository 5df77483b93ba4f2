// Databases behind the endpoints, as a user has them: the real CLI, the emulator with PostgreSQL servers of its own, and
// clients that check the certificate. Where this machine has no PostgreSQL, each test says so and is skipped; on a build
// server it fails.

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { Service } from "pulumi-dbcloud";
import { beforeEach, expect, test } from "vitest";
import { type Environment, fail, succeed } from "../../support/cliProcess";
import { attempt, psql, query } from "../../support/postgres/client";
import { root } from "../../support/repository";
import { type Project, typesChecked } from "../../support/cli/project";
import { needPostgres } from "../../support/required";
import { useEngineWorld, world } from "../world";

const WRONG_PASSWORD = "28P01";
const NO_RIGHT = "42501";

let caFile: string;

useEngineWorld({ postgres: "auto" }, async () => {
  caFile = world.emulator.caFile ?? "";
});

beforeEach(({ skip }) => {
  needPostgres(world.emulator.state(), skip);
});

test("an address that refuses for 3 seconds after READY: `accepting` waits for it, `ready` does not", async () => {
  const { faults, mutate } = world.emulator;
  // Its server is stopped behind a status that says otherwise.
  const act = ({ subjectId: id = "" }: { subjectId: string | undefined }): void => {
    mutate.service(id, { paused: true, wire: { status: "READY" } });
    setTimeout(() => mutate.service(id, { paused: false }), 3_000);
  };
  const fault = faults.add({ kind: "meanwhile", when: "after", act, operation: "createService", times: 2 });
  const seen: Record<string, string> = {};
  const stack = await world.open(() => {
    const size = { regionCode: "us-east-1", cpuMillis: 500, memoryGbs: 2 } as const;
    const services = {
      early: new Service("early", size),
      late: new Service("late", { ...size, waitFor: "accepting" }),
    };
    const looks = Object.entries(services).map(([name, service]) =>
      service.connectionString().apply(async (url) => (seen[name] = await attempt(url, caFile))),
    );
    return { looks: pulumi.all(looks) };
  });
  const { text } = await stack.up();
  expect(fault.struck).toBe(2);
  expect(seen).toEqual({ early: "ECONNREFUSED", late: "connected" });
  expect(text).toMatch(/late .*READY, but 127\.0\.0\.1:\d+ accepts no connections/);
  expect(text).not.toMatch(/early .*accepts no connections/);
  await stack.destroy();
});

/** As a user who has run `npm install` there. */
async function migrations(): Promise<Project> {
  const project = await world.example("migrations");
  mkdirSync(path.join(project.folder, "node_modules", "@types"));
  for (const name of ["pg", "@types/pg"]) {
    symlinkSync(path.join(root, "node_modules", name), path.join(project.folder, "node_modules", name));
  }
  return project;
}

test("migrations: one `up` creates a database with tables and a user, and the next adds more of both", async () => {
  const project = await migrations();
  const passwords = { ownerPassword: "owner's first, long enough", appPassword: "app:/?#[]@" };
  const secrets = Object.entries(passwords).flatMap(([name, value]) => ["--secret", `${name}=${value}`]);
  await succeed(project.pulumi(["config", "set-all", ...secrets]));
  const run = (args: string, more: Environment = typesChecked) =>
    project.pulumi(args, { NODE_EXTRA_CA_CERTS: caFile, ...more });
  const urlOf = async () => (await succeed(run("stack output url --show-secrets"))).out.trim();

  await succeed(run("up --yes --skip-preview", {}));
  const url = await urlOf();
  expect(new URL(url)).toMatchObject({ username: "app", search: "?sslmode=verify-full" });
  await query(url, caFile, "INSERT INTO orders (item) VALUES ('tea'), ('coffee')");
  expect(await query(url, caFile, "SELECT item FROM orders ORDER BY id")).toEqual([["tea"], ["coffee"]]);
  expect([undefined, "2"]).toContain(await psql(url, caFile, "SELECT count(*) FROM orders"));
  await expect(query(url, caFile, "DROP TABLE orders")).rejects.toMatchObject({ code: NO_RIGHT });
  const { id: serviceId } = world.emulator.state().services[0] ?? { id: "" };
  const errors = await succeed(world.command(["logs", serviceId, "--severity", "error"], project.folder));
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z \[\d+\] app@tsdb ERROR: must be owner of table orders$/m;
  const [said = ""] = time.exec(errors.out) ?? [errors.out];
  expect(said).toMatch(time);
  expect(Math.abs(Date.parse(said.slice(0, 24)) - Date.now())).toBeLessThan(60_000);
  const owner = ownerUrl(url, passwords.ownerPassword);
  expect(await query(owner, caFile, "SELECT name FROM migrations ORDER BY name")).toEqual([
    ["001-orders.sql"],
    ["002-writer.sql"],
  ]);
  await succeed(run("preview --expect-no-changes"));
  const state = await project.state();
  for (const password of Object.values(passwords)) expect(state).not.toContain(password);

  // What was applied stays as it is; another one is added, while the password of the owner changes as well.
  const file = (name: string): string => path.join(project.folder, "migrations", name);
  writeFileSync(file("003-price.sql"), "ALTER TABLE orders ADD COLUMN price numeric NOT NULL DEFAULT 0");
  await succeed(project.pulumi(["config", "set", "--secret", "ownerPassword", "owner's second, long enough"]));
  await succeed(run("up --yes --skip-preview"));
  expect(await attempt(owner, caFile)).toBe(WRONG_PASSWORD);
  expect(await attempt(ownerUrl(url, "owner's second, long enough"), caFile)).toBe("connected");
  expect(await query(url, caFile, "SELECT item, price FROM orders ORDER BY id LIMIT 1")).toEqual([["tea", "0"]]);

  writeFileSync(file("001-orders.sql"), "CREATE TABLE other (id int)");
  const { text } = await fail(run("preview"));
  expect(text).toMatch(/migration 001-orders\.sql was changed/);

  await succeed(run("destroy --yes --skip-preview"));
  expect(await attempt(url, caFile)).toBe("ECONNREFUSED");
});

function ownerUrl(url: string, password: string): string {
  const owner = new URL(url);
  owner.username = "tsdbadmin";
  owner.password = encodeURIComponent(password);
  return owner.href;
}
