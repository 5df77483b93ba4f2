// Ends the CLI, and removes the temporary folders, when the process of the tests ends: a small child process that
// notices the end of its standard input, also after `kill -9`. It ends by itself when no test stack is left.

import { spawn, type ChildProcess } from "node:child_process";

/** One line to the guard. "tree": end that process and all its descendants now. */
type Order =
  | { is: "watch" | "forget"; pid: number }
  | { is: "keep" | "done"; folder: string }
  | { is: "tree"; pid: number };

let guard: ChildProcess | undefined;
const folders = new Set<string>();

export function watchProcess(pid: number): () => void {
  tell({ is: "watch", pid });
  return () => tell({ is: "forget", pid });
}

export function endTree(pid: number): void {
  tell({ is: "tree", pid });
}

/** Until the returned function is called, the guard removes the folder when the process of the tests ends. */
export function watchFolder(folder: string): () => void {
  folders.add(folder);
  tell({ is: "keep", folder });
  return () => {
    tell({ is: "done", folder });
    folders.delete(folder);
    if (folders.size > 0) return;
    guard?.stdin?.end();
    guard = undefined;
  };
}

function tell(order: Order): void {
  guard ??= start();
  guard.stdin?.write(`${JSON.stringify(order)}\n`);
}

function start(): ChildProcess {
  // Its own process group: Ctrl-C is for the tests, and the guard must outlive them.
  const child = spawn(process.execPath, ["-e", `(${guardTests.toString()})()`], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    // Without the Node options of a test runner.
    env: { PATH: process.env["PATH"], SystemRoot: process.env["SystemRoot"] },
    windowsHide: true,
  });
  child.on("error", () => undefined);
  child.stdin.on("error", () => undefined);
  // Neither keeps the process of the tests alive.
  child.unref();
  Reflect.apply(Reflect.get(child.stdin, "unref") as () => void, child.stdin, []);
  return child;
}

/** The whole program of the guard: it cannot use anything outside of this function. */
function guardTests(): void {
  const { execFileSync } = process.getBuiltinModule("node:child_process");
  const { rmSync } = process.getBuiltinModule("node:fs");
  const pids = new Set<number>();
  const kept = new Set<string>();

  /** Small images have no `ps`, or one without these options. Then the CLI alone is ended, and the rest ends with it. */
  function allProcesses(): string {
    try {
      return execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" });
    } catch {
      return "";
    }
  }

  function below(pid: number): number[] {
    const all = allProcesses()
      .split("\n")
      .map((line) => line.trim().split(/\s+/).map(Number));
    const found = [pid];
    for (const parent of found) for (const [one, its] of all) if (its === parent && one !== undefined) found.push(one);
    return found;
  }

  function endAll(pid: number): void {
    try {
      if (process.platform === "win32") execFileSync("taskkill", ["/pid", String(pid), "/T", "/F"]);
      else for (const one of below(pid)) process.kill(one, "SIGKILL");
    } catch {
      // The process has ended meanwhile.
    }
  }

  function obey(line: string): void {
    const order = JSON.parse(line) as Order;
    if (order.is === "watch") pids.add(order.pid);
    if (order.is === "forget") pids.delete(order.pid);
    if (order.is === "tree") endAll(order.pid);
    if (order.is === "keep") kept.add(order.folder);
    if (order.is === "done") kept.delete(order.folder);
  }

  let text = "";
  process.stdin.setEncoding("utf8");
  process.stdin.on("data", (piece: string) => {
    text += piece;
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) obey(line);
  });
  process.stdin.on("end", () => {
    for (const pid of pids) endAll(pid);
    for (const folder of kept) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });
}
