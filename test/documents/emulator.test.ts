// The document of the emulator: its `curl` lines do what it says, and it names every path of the admin API.

import { expect, test } from "vitest";
import { createEmulator } from "../../emulator/index";
import { runCommand } from "../support/cliProcess";
import { temporaryFolder, writeFiles } from "../support/folder";
import { blocksOf, textOf } from "../support/repository";

const text = textOf("docs/emulator.md");

/** In the place of `curl`, with the options that the document uses: prints the status, or "no answer", and the body. */
const curl = `#!${process.execPath}
const { readFileSync, writeFileSync } = require("node:fs");
const request = { headers: {} };
let [url, output] = [];
for (const words = process.argv.slice(2); words.length > 0; ) {
  const word = words.shift();
  if (!word.startsWith("-")) url = word;
  else if (word === "--oauth2-bearer") request.headers.authorization = "Bearer " + words.shift();
  else if (word === "-X") request.method = words.shift();
  else if (word === "-o") output = words.shift();
  else if (word === "--json") {
    const body = words.shift();
    request.body = body.startsWith("@") ? readFileSync(body.slice(1), "utf8") : body;
    request.headers["content-type"] = "application/json";
    request.method ??= "POST";
  } else throw new Error("no test knows the option " + word);
}
const print = (outcome, body) => process.stdout.write(JSON.stringify({ outcome, body }));
fetch(url, request).then(async (response) => {
  const body = await response.text();
  if (output !== undefined) writeFileSync(output, body);
  print(String(response.status), body);
}, () => print("no answer", ""));
`;

/** The lines that begin with `curl`; a backslash continues a line, and the comment at its end is the status. */
const lines = blocksOf(text)
  .flatMap((block) => block.replaceAll(/\\\n\s*/g, "").split("\n"))
  .filter((line) => line.startsWith("curl "))
  .map((line) => line.split(/ # (?=[^#]*$)/));

test("every line of curl gets what the document says, and in the end both services are there", async () => {
  const folder = temporaryFolder();
  writeFiles(folder, { curl }, 0o755);
  await using emulator = await createEmulator();
  const environment: Record<string, string> = {
    PATH: `${folder}:/usr/bin:/bin`,
    DBCLOUD_BASE_URL: emulator.baseUrl,
    DBCLOUD_API_KEY: emulator.apiKey,
    DBCLOUD_PROJECT_ID: emulator.projectId,
    DBCLOUD_EMULATOR_ADMIN_URL: emulator.adminUrl,
    DBCLOUD_EMULATOR_ADMIN_KEY: emulator.adminKey,
  };
  const left: number[] = [];
  const bodies: string[] = [];
  for (const [line = "", expected] of lines) {
    const { out, error } = await runCommand("sh", ["-uc", line], { cwd: folder, environment });
    expect(error).toBe("");
    const { outcome, body } = JSON.parse(out) as { outcome: string; body: string };
    expect({ line, outcome }).toEqual({ line, outcome: expected });
    if (bodies.length === 0) environment["SERVICE_ID"] = (JSON.parse(body) as { service_id: string }).service_id;
    bodies.push(body);
    left.push(emulator.state().services.length);
  }
  // Made, a fault, made without an answer, the clock, changed by hand, two looks, kept, thrown away, put back.
  expect(left).toEqual([1, 1, 2, 2, 2, 2, 2, 2, 0, 2]);
  expect(emulator.state().services).toMatchObject([
    { name: "orders", status: "READY", cpuMillis: 4000, memoryGbs: 16 },
    { name: "billing", status: "READY" },
  ]);
  // The admin API's own requests are not recorded.
  expect(JSON.parse(bodies[6] ?? "")).toMatchObject([
    { operation: "createService", status: 202 },
    { operation: "createService", fault: "lostAfter" },
  ]);
});

test("every path of the admin API is named", async () => {
  await using emulator = await createEmulator();
  const document = (await (await fetch(`${emulator.adminUrl}/openapi.json`)).json()) as { paths: object };
  const named = new Set(
    [...text.matchAll(/(?:GET|POST|PATCH|DELETE) ([\w./-]+)|`([\w-]+\/[\w/]+)`|`(vpcs)`/g)].map(
      ([, a, b, c]) => a ?? b ?? c ?? "",
    ),
  );
  const paths = Object.keys(document.paths).map((one) => one.slice(1).replaceAll(/\{\w+\}/g, "ID"));
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter((one) => !named.has(one) && one !== "vpcs/ID")).toEqual([]);
});
