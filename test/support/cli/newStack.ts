// New stacks without a call of the CLI for each: copies, under another name, of one that the CLI has made in this
// process.

import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type Environment, runCommand, succeed } from "../cliProcess";
import { KEY_URL } from "./keyService";

interface Model {
  /** Its file in the backend. */
  state: string;
  /** `Pulumi.<stack>.yaml` */
  settings: string;
}

let model: Promise<Model> | undefined;

interface NewStack {
  cli: string;
  /** With the project's `Pulumi.yaml`. */
  folder: string;
  stack: string;
  environment: Environment;
}

/**
 * Does what `pulumi stack init` does: puts the stack into the backend, its settings into the folder, and selects it
 * there.
 */
export async function addStack({ cli, folder, stack, environment }: NewStack): Promise<void> {
  const { state, settings } = await (model ??= modelBy(cli, environment));
  const manifest = path.join(realpathSync(folder), "Pulumi.yaml");
  const project = /^name: *"?([^"\s]+)/m.exec(readFileSync(manifest, "utf8"))?.[1] ?? "";
  appendFileSync(path.join(folder, `Pulumi.${stack}.yaml`), settings);
  write(stateFileOf(environment, project, stack), state.replace("organization/model/model", nameOf(project, stack)));
  write(path.join(backendOf(environment), ".pulumi", "meta.yaml"), "version: 1\n");
  const hash = createHash("sha1").update(manifest).digest("hex");
  const selected = { stacks: { [environment["PULUMI_BACKEND_URL"] ?? ""]: nameOf(project, stack) } };
  const file = path.join(environment["PULUMI_HOME"] ?? "", "workspaces", `${project}-${hash}-workspace.json`);
  write(file, JSON.stringify(selected));
}

async function modelBy(cli: string, others: Environment): Promise<Model> {
  const folder = mkdtempSync(path.join(tmpdir(), "dbcloud-stack-"));
  try {
    const environment = {
      ...others,
      PULUMI_HOME: path.join(folder, "home"),
      PULUMI_BACKEND_URL: `file://${folder}`,
    };
    writeFileSync(path.join(folder, "Pulumi.yaml"), "name: model\nruntime: nodejs\n");
    await succeed(
      runCommand(cli, ["stack", "init", "model", `--secrets-provider=${KEY_URL}`], { cwd: folder, environment }),
    );
    return {
      state: readFileSync(stateFileOf(environment, "model", "model"), "utf8"),
      settings: readFileSync(path.join(folder, "Pulumi.model.yaml"), "utf8"),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function stateFileOf(environment: Environment, project: string, stack: string): string {
  return path.join(backendOf(environment), ".pulumi", "stacks", project, `${stack}.json`);
}

function backendOf({ PULUMI_BACKEND_URL: url }: Environment): string {
  return fileURLToPath(url ?? "");
}

function nameOf(project: string, stack: string): string {
  return `organization/${project}/${stack}`;
}

function write(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
