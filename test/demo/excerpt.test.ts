// What the demo shows of Pulumi's output when something fails: why, once, and the sum.

import { expect, test } from "vitest";
import { createExcerpt } from "../../scripts/demo/excerpt.ts";

const shownOf = (text: string): string[] => text.split("\n").flatMap(createExcerpt());

test("a failed create shows its error, although the row that has it comes after its progress", () => {
  const error = "error: createVpc (projects/proj000001): 400 X cidr is not allowed here";
  const output = `Updating (demo):

 +  pulumi:pulumi:Stack shop-demo creating (0s)
 +  pulumi-nodejs:dynamic/dbcloud:Vpc shop creating (0s)
 +  pulumi-nodejs:dynamic/dbcloud:Vpc shop creating (0s) ${error}
 +  pulumi-nodejs:dynamic/dbcloud:Vpc shop **creating failed** ${error}
Diagnostics:
  pulumi-nodejs:dynamic/dbcloud:Vpc (shop):
    ${error}

Resources:
    + 1 created
    1 errored

Duration: 1s`;
  expect(shownOf(output)).toEqual([`    ${error}`, "  + 1 created, 1 errored"]);
});

test("an error of the program is shown, and one that a row has shown is not shown again", () => {
  const urn = "urn:pulumi:demo::shop::pulumi-nodejs:dynamic/dbcloud:Service::orders";
  const output = ` -  pulumi-nodejs:dynamic/dbcloud:Service orders delete error: Preview failed: resource "${urn}" cannot be deleted
Diagnostics:
  pulumi-nodejs:dynamic/dbcloud:Service (orders):
    error: Preview failed: resource "${urn}" cannot be deleted

  pulumi:pulumi:Stack (shop-demo):
    error: Running program failed: there is no profile "nonsense"
`;
  expect(shownOf(output)).toEqual([
    '    error: Preview failed: resource "orders" cannot be deleted',
    '    error: Running program failed: there is no profile "nonsense"',
  ]);
});
