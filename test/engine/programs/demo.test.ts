// The demo, as `npm start` runs it once the set-up is done. It checks itself step by step; this test checks that it runs
// to the end, prints no warnings of its own, and leaves nothing behind.

import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { root } from "../../support/repository";
import { pulumiNode } from "../../support/cli/nodeStart";
import { type Outcome, runCommand } from "../../support/cliProcess";
import { mustHaveAll } from "../../support/required";
import { isBuildServer } from "../../support/repeats";

function runDemo(folder: string): Promise<Outcome> {
  const cliRoot = process.env["DBCLOUD_PULUMI_ROOT"];
  const programs = [path.dirname(process.execPath), ...(cliRoot === undefined ? [] : [path.join(cliRoot, "bin")])];
  const environment = {
    ...process.env,
    ...pulumiNode,
    PATH: [...programs, process.env["PATH"]].join(path.delimiter),
    TMPDIR: folder,
    GOGC: "off",
    // What a user may have exported for work; it must have no say.
    DBCLOUD_PROJECT_ID: "somebody-elses",
    PULUMI_BACKEND_URL: "file:///nowhere",
  };
  const script = path.join(root, "scripts", "demo.ts");
  return runCommand(process.execPath, [script, "--quick"], { cwd: folder, environment });
}

test.runIf(isBuildServer)("the demo runs to the end, warns of nothing itself, and leaves nothing behind", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "dbcloud-demo-test-"));
  const temporary = path.join(folder, "temporary");
  mkdirSync(temporary);
  const { code, out, error } = await runDemo(temporary);
  // What the operator does moves two addresses, which the refresh says; nothing else is a warning.
  const warnings = error
    .split("\n")
    .filter((line) => line !== "")
    .toSorted();
  expect({ code, warnings }).toEqual({
    code: 0,
    warnings: [
      expect.stringMatching(/^warning: read replica set shop-reports-demo .*endpoint /) as string,
      expect.stringMatching(
        /^warning: service orders-normal .*: somebody detached it from VPC \d+; its address is now /,
      ) as string,
    ],
  });
  const headings = [...out.matchAll(/━━━ \d\. (.*?) ━/g)].map((match) => match[1]);
  expect(headings).toEqual(["Preview", "Create", "Fork", "Drift", "Repair", "Update", "Refused destroy", "Destroy"]);
  const screens = out.split(/^━━━ .*$/m).map((text) => text.trim().split("\n").length);
  expect(Math.max(...screens)).toBeLessThanOrEqual(45);
  // It looks into the databases wherever there are any, and says why where there are none.
  const looks =
    /^ERROR: {2}cannot execute INSERT in a read-only transaction$|^psql orders: error: FATAL: {2}password/gm;
  const isWithout = /^Nothing listens at the endpoints of the databases here: ./m.test(out);
  expect(isWithout && mustHaveAll()).toBe(false);
  expect(out.match(looks) ?? []).toHaveLength(isWithout ? 0 : 2);
  expect(out).not.toMatch(/Undefined value/);
  expect(out).toMatch(/✓ nothing is left on the server\n/);
  expect(out).not.toMatch(/ExperimentalWarning|DeprecationWarning|^\s+at /m);
  expect(readdirSync(temporary).filter((name) => name.startsWith("dbcloud-"))).toEqual([]);
  expect(readdirSync(root)).not.toContain("Pulumi.demo.yaml");
  rmSync(folder, { recursive: true });
});
