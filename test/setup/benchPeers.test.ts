// How the benchmark finds and drives OpenTofu: a program of the same name and the same last lines stands in for it.

import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { changedIn, findTofu, measureTofu, peersTable } from "../../bench/peers/tofu.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "dbcloud-peers-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const server = {
  baseUrl: "http://127.0.0.1:1/api/v1",
  apiKey: "key:not-shown",
  projectId: "proj000001",
  takeRequests: () => Promise.resolve({ getService: 3, createService: 3 }),
};

/** A `tofu` that writes down how it is called, and answers as OpenTofu 1.10 does. */
function installTofu(created: number): void {
  const file = path.join(folder, "tofu");
  const lines = [
    "#!/bin/sh",
    `cp "$TF_CLI_CONFIG_FILE" ${path.join(folder, "settings")}`,
    `echo "$@" >> ${path.join(folder, "calls")}`,
    "case $1 in",
    `apply) echo 'restapi_object.service[0]: Creating...'; echo 'Apply complete! Resources: ${created} added, 0 changed, 0 destroyed.';;`,
    "plan) echo 'No changes. Your infrastructure matches the configuration.';;",
    "destroy) echo 'Destroy complete! Resources: 3 destroyed.';;",
    "esac",
  ];
  writeFileSync(file, lines.join("\n"));
  chmodSync(file, 0o755);
}

function installPlugin(): string {
  const plugins = path.join(folder, "plugins/registry.opentofu.org/mastercard/restapi/1.20.0/linux_amd64");
  mkdirSync(plugins, { recursive: true });
  writeFileSync(path.join(plugins, "terraform-provider-restapi_v1.20.0"), "");
  return path.join(folder, "plugins");
}

test("without tofu, and without the plugin, it says what is missing", async () => {
  expect(await findTofu({ PATH: folder }, folder)).toEqual({ missing: "there is no `tofu` on PATH" });
  installTofu(3);
  const found = await findTofu({ PATH: folder }, folder);
  expect(found).toEqual({ missing: expect.stringContaining(path.join(folder, ".terraform.d/plugins")) as string });
  const elsewhere = await findTofu({ PATH: folder, DBCLOUD_BENCH_PLUGINS: path.join(folder, "none") }, folder);
  expect(elsewhere).toEqual({ missing: expect.stringContaining(path.join(folder, "none")) as string });
});

test("it runs the plugin of the folder through all operations, and measures each", async () => {
  installTofu(3);
  const plugins = installPlugin();
  const found = await findTofu({ PATH: `/nowhere:${folder}`, DBCLOUD_BENCH_PLUGINS: plugins }, folder);
  if ("missing" in found) throw new Error(found.missing);
  const measured = await measureTofu(found, server, folder, 3);
  expect(measured.map(({ operation, gets }) => [operation, gets])).toEqual([
    ["up", 3],
    ["preview", 3],
    ["refresh", 3],
    ["destroy", 3],
  ]);
  const calls = readFileSync(path.join(folder, "calls"), "utf8").trim().split("\n");
  expect(calls.map((line) => line.split(" ")[0])).toEqual(["init", "apply", "plan", "plan", "destroy"]);
  // Pulumi's preview reads nothing; the refresh is a plan that does.
  expect(calls.map((line) => line.includes("-refresh=false"))).toEqual([false, false, true, false, false]);
  expect(calls[0]).toContain(`-plugin-dir=${plugins}`);
  const written = JSON.parse(readFileSync(path.join(folder, "main.tf.json"), "utf8")) as object;
  expect(written).toMatchObject({
    resource: {
      restapi_object: {
        service: { count: 3, path: "/projects/proj000001/services", ignore_server_additions: true },
      },
    },
  });
  expect(readFileSync(path.join(folder, "settings"), "utf8")).toBe("");
  const table = peersTable(3, measured, (operation) => (operation === "up" ? { wallMs: 1_000, gets: 1 } : undefined));
  expect(table.rows.map((row) => row.length)).toEqual([7, 7, 7, 7]);
  expect(table.rows[0]?.[4]).toBe("1.00 s");
});

test("a run that did something else is an error, not a figure", async () => {
  installTofu(2);
  const found = await findTofu({ PATH: folder, DBCLOUD_BENCH_PLUGINS: installPlugin() }, folder);
  if ("missing" in found) throw new Error(found.missing);
  await expect(measureTofu(found, server, folder, 3)).rejects.toThrow(/did something else/);
});

test.each([
  ["Apply complete! Resources: 100 added, 0 changed, 0 destroyed.", { added: 100, destroyed: 0 }],
  ["Destroy complete! Resources: 7 destroyed.", { added: 0, destroyed: 7 }],
  ["Error: something", undefined],
])("%s", (line, expected) => {
  expect(changedIn(`restapi_object.service[0]: Creating...\n\n${line}\n`)).toEqual(expected);
});
