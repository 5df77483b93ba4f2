// A build server has a PostgreSQL, or fails: nothing about databases is skipped there.

import { expect, test } from "vitest";
import { skipOrFail } from "../../support/required";

const outcomeIn = (environment: NodeJS.ProcessEnv): string[] => {
  const told: string[] = [];
  skipOrFail("no PostgreSQL", (_, why) => void told.push(why), environment);
  return told;
};

test.each([{}, { CI: "" }, { CI: "false" }])("tests are skipped with the reason on one with %j", (environment) => {
  expect(outcomeIn(environment)).toEqual(["no PostgreSQL"]);
});

test.each([{ CI: "true" }, { CI: "1" }])("tests fail on a build server with %j", (environment) => {
  expect(() => outcomeIn(environment)).toThrow("no PostgreSQL");
});
