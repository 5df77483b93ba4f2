// The command of the emulator within a test: what it prints, and the emulator that it names in its exports.

import { expect, onTestFinished } from "vitest";
import { emulatorCommand } from "../../../emulator/command";
import { httpClientFor } from "./httpClient";

/** Runs it on a free port, and ends it with the test. The clock alone: what options do must not wait for servers. */
export function run(...argv: string[]) {
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const [out, error]: [string[], string[]] = [[], []];
  const io = {
    out: (line: string) => out.push(line),
    error: (line: string) => error.push(line),
    signal: controller.signal,
  };
  const code = emulatorCommand(["--postgres", "off", "--port", "0", ...argv], io).then(
    () => 0,
    (failure: Error) => {
      error.push(failure.message);
      return 1;
    },
  );
  const value = (name: string): string => out.join("\n").match(new RegExp(`export ${name}=(\\S+)`))?.[1] ?? "";
  const ready = async () => {
    await expect.poll(() => out.join("\n")).toContain("Ctrl-C");
    const target = { baseUrl: value("DBCLOUD_BASE_URL"), apiKey: value("DBCLOUD_API_KEY") };
    const services = `/projects/${value("DBCLOUD_PROJECT_ID")}/services`;
    return { ...target, projectId: value("DBCLOUD_PROJECT_ID"), services, ...httpClientFor(target) };
  };
  return { code, out, error, ready, end: () => controller.abort() };
}
