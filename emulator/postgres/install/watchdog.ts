// The process that outlives a killed emulator. It waits for the end of its standard input, which closes whenever the
// emulator ends, then ends every program below the emulator's folders and removes the first folder. Node runs this file
// directly: it imports nothing of the emulator, so it needs no build and no loader.

{
  const { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } =
    process.getBuiltinModule("node:fs");
  const { execFileSync } = process.getBuiltinModule("node:child_process");
  const path = process.getBuiltinModule("node:path");

  // The folder to remove, and the data folder, if there is one, which stays.
  const [, , givenFolder = "", givenKept = ""] = process.argv;
  const roundMs = 15;
  const longQuiet = 3;
  const killAfterMs = 700;
  const longestMs = 15_000;

  interface Found {
    readonly pid: number;
    readonly isServer: boolean;
  }

  /** Every process that works in the folder: postgres, and also initdb or cp. */
  const programsIn = (folder: string): Found[] => (existsSync("/proc/self/cwd") ? byProc(folder) : byPidFiles(folder));

  const byProc = (folder: string): Found[] =>
    readdirSync("/proc").flatMap((name) => {
      if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
      try {
        const at = readlinkSync(`/proc/${name}/cwd`).replace(/ \(deleted\)$/, "");
        if (at !== folder && !at.startsWith(`${folder}${path.sep}`)) return [];
        const program = path.basename(readlinkSync(`/proc/${name}/exe`).replace(/ \(deleted\)$/, ""));
        return [{ pid: Number(name), isServer: program === "postgres" }];
      } catch {
        return []; // The process has ended, or belongs to another user.
      }
    });

  /** Without /proc, the pid files of the servers name them; a pid counts only if it is a postgres. */
  const byPidFiles = (folder: string): Found[] =>
    pidFilesIn(folder, 4).flatMap((file) => {
      try {
        const pid = Number(readFileSync(file, "utf8").split("\n")[0]);
        const command = execFileSync("ps", ["-o", "comm=", "-p", String(pid)], { encoding: "utf8" });
        return path.basename(command.trim()).startsWith("postgres") ? [{ pid, isServer: true }] : [];
      } catch {
        return [];
      }
    });

  const pidFilesIn = (folder: string, depth: number): string[] =>
    depth === 0 || !existsSync(folder)
      ? []
      : readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
          const file = path.join(folder, entry.name);
          if (entry.name === "postmaster.pid") return [file];
          return entry.isDirectory() && !entry.name.startsWith("pg_") ? pidFilesIn(file, depth - 1) : [];
        });

  /** A server that is asked to end removes its shared memory; one that does not end is killed. */
  const end = ({ pid, isServer }: Found, isPatient: boolean): void => {
    try {
      process.kill(pid, isServer && isPatient ? "SIGQUIT" : "SIGKILL");
    } catch {
      // The process has ended meanwhile.
    }
  };

  /**
   * Several processes may clean up at the same time. Once the folder is gone, processes in the data folder belong to
   * the next emulator.
   */
  const toBeEnded = (folder: string, kept: string | undefined): Found[] => {
    const ofKept = kept === undefined ? [] : programsIn(kept);
    return [...programsIn(folder), ...(existsSync(folder) ? ofKept : [])];
  };

  const cleanUp = (): void => {
    if (!existsSync(givenFolder)) process.exit(0);
    const folder = realpathSync(givenFolder);
    const kept = existsSync(givenKept) ? realpathSync(givenKept) : undefined;
    const since = Date.now();
    let quietRounds = 0;
    const round = (): void => {
      const elapsedMs = Date.now() - since;
      const found = toBeEnded(folder, kept);
      for (const program of found) end(program, elapsedMs < killAfterMs);
      quietRounds = found.length === 0 ? quietRounds + 1 : 0;
      const isQuiet = quietRounds > longQuiet;
      // A program that has just been started may not be visible yet.
      if (kept === undefined ? found.length === 0 : isQuiet) {
        try {
          rmSync(folder, { recursive: true, force: true });
        } catch {
          // A process was still writing; the next round removes it.
        }
      }
      if ((isQuiet && !existsSync(folder)) || elapsedMs > longestMs) process.exit(0);
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
