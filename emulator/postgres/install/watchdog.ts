// The process that outlives a killed emulator. It waits for the end of its standard input, which comes with the end of
// the emulator, however that ended, and then ends every program below the emulator's folder and removes the folder. A
// program of its own, run by Node as it is: nothing is imported, so that no build and no loader stands before it.

{
  const { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } =
    process.getBuiltinModule("node:fs");
  const { execFileSync } = process.getBuiltinModule("node:child_process");
  const path = process.getBuiltinModule("node:path");

  const givenFolder = process.argv[2] ?? "";
  const keepsFiles = process.argv[3] === "keep";
  const roundMs = 15;
  const patienceMs = 700;
  const longestMs = 15_000;

  interface Found {
    readonly pid: number;
    readonly isServer: boolean;
  }

  /** Whatever works in the folder: postgres, and initdb or cp that were under way. */
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
        return []; // It has ended, or it is somebody else's.
      }
    });

  /** Elsewhere the servers themselves say who they are; a pid counts only if it is a postgres. */
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

  /** A server that is asked to leave removes its shared memory; one that does not is made to. */
  const end = ({ pid, isServer }: Found, isPatient: boolean): void => {
    try {
      process.kill(pid, isServer && isPatient ? "SIGQUIT" : "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
  };

  const cleanUp = (): void => {
    if (!existsSync(givenFolder)) process.exit(0);
    const folder = realpathSync(givenFolder);
    const since = Date.now();
    let quietRounds = 0;
    const round = (): void => {
      const elapsedMs = Date.now() - since;
      const found = programsIn(folder);
      for (const program of found) end(program, elapsedMs < patienceMs);
      if (!keepsFiles && found.length === 0) {
        try {
          rmSync(folder, { recursive: true, force: true });
        } catch {
          // Something was still being written; the next round removes it.
        }
      }
      const isQuiet = found.length === 0 && (keepsFiles || !existsSync(folder));
      quietRounds = isQuiet ? quietRounds + 1 : 0;
      if (quietRounds > 3 || elapsedMs > longestMs) process.exit(0);
      setTimeout(round, roundMs);
    };
    round();
  };

  process.on("SIGINT", () => undefined);
  process.on("SIGTERM", () => undefined);
  process.on("SIGHUP", () => undefined);
  process.stdin.resume();
  // A pipe closes, an empty input only ends.
  let hasEnded = false;
  for (const event of ["end", "close"]) {
    process.stdin.once(event, () => {
      if (!hasEnded) cleanUp();
      hasEnded = true;
    });
  }
}
