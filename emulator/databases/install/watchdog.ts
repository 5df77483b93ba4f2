// The process that outlives a killed emulator. It waits for the end of its standard input, which closes whenever the
// emulator ends, then ends every program that the emulator has recorded and removes its folder.

/** The whole program of that process, which `node -e` runs: it cannot use anything outside of this function. */
export function watchdog(): void {
  const { existsSync, lstatSync, readFileSync, readlinkSync, rmdirSync, rmSync } = process.getBuiltinModule("node:fs");
  const { execFileSync } = process.getBuiltinModule("node:child_process");
  const path = process.getBuiltinModule("node:path");

  const [, root = ""] = process.argv;
  const roundMs = 15;
  const killAfterMs = 700;
  const longestMs = 15_000;

  /** A process that the emulator started, by the line that it wrote about it. */
  interface Recorded {
    readonly pid: number;
    readonly start: string;
    readonly program: string;
  }

  const recorded = (): Recorded[] => {
    const file = path.join(root, "processes");
    if (!existsSync(file)) return [];
    const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
    return lines.flatMap((line) => {
      const [, pid, start = "", program = ""] = /^([1-9]\d*) (.+) (\S+)$/.exec(line) ?? [];
      return pid === undefined ? [] : [{ pid: Number(pid), start, program }];
    });
  };

  /**
   * Whether it is the same process: the system reuses ids, and after a restart of the machine start times too. The
   * shell becomes the program.
   */
  const isRunning = ({ pid, start, program }: Recorded): boolean => {
    try {
      const [found, state, executable = ""] = existsSync("/proc/self/stat") ? byProc(pid) : byPs(pid);
      const name = path.basename(executable);
      return found === start && state !== "Z" && (name.includes(program) || shells.includes(name));
    } catch {
      return false; // It has ended.
    }
  };

  const shells = ["sh", "dash", "bash", "busybox", "ksh"];

  const byProc = (pid: number): (string | undefined)[] => {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").pop()?.split(" ") ?? [];
    const isEnded = fields[0] === "Z";
    return [fields[19], fields[0], isEnded ? "" : readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, "")];
  };

  const byPs = (pid: number): string[] => {
    const read = (field: string): string =>
      execFileSync("ps", ["-o", `${field}=`, "-p", String(pid)], {
        encoding: "utf8",
        env: { LC_ALL: "C", TZ: "UTC" },
      }).trim();
    return [read("lstart"), read("state").charAt(0), read("comm")];
  };

  /** Its process group: each program has one of its own. A server that is asked to end removes its shared memory. */
  const end = ({ pid }: Recorded, signal: NodeJS.Signals): void => {
    try {
      process.kill(-pid, signal);
    } catch {
      // It has ended meanwhile.
    }
  };

  /** Another account may own what is below these folders: a program of that account empties them. */
  const empty = (folder: string): void => {
    const { uid, gid } = lstatSync(folder);
    const owner = process.getuid?.() === 0 ? { uid, gid } : {};
    execFileSync("find", [folder, "-mindepth", "1", "-delete"], { cwd: "/", stdio: "ignore", ...owner });
    rmdirSync(folder);
  };

  const remove = (): void => {
    try {
      for (const name of ["servers", "sockets"]) {
        const folder = path.join(root, name);
        if (existsSync(folder)) empty(folder);
      }
      rmSync(root, { recursive: true, force: true });
    } catch {
      // A process was still writing; the next round removes it.
    }
  };

  const cleanUp = (): void => {
    const since = Date.now();
    let left = recorded();
    const round = (): void => {
      const elapsedMs = Date.now() - since;
      left = left.filter(isRunning);
      for (const each of left) end(each, elapsedMs < killAfterMs ? "SIGQUIT" : "SIGKILL");
      if (left.length === 0) remove();
      if (!existsSync(root) || elapsedMs > longestMs) process.exit(0);
      setTimeout(round, roundMs);
    };
    round();
  };

  process.on("SIGINT", () => undefined);
  process.on("SIGTERM", () => undefined);
  process.on("SIGHUP", () => undefined);
  process.stdin.resume();
  // A pipe closes; an empty input only ends.
  let hasEnded = false;
  for (const event of ["end", "close"]) {
    process.stdin.once(event, () => {
      if (!hasEnded) cleanUp();
      hasEnded = true;
    });
  }
}
