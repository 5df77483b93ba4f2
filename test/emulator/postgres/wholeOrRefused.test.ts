// Each file of a `data` folder, removed, cut off and flipped: the start is refused or everything is there, never
// silently less; and a refusal changes nothing.

import { copyFileSync, existsSync, readFileSync, renameSync } from "node:fs";
import { rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { sealed } from "../../../emulator/durable";
import { createEmulator } from "../../../emulator/index";
import { newFolder } from "../support/emulator";
import { openDatabases, postgres } from "./support";
import { isBuildServer } from "../../support/repeats";

const harms: Readonly<Record<string, (file: string) => void>> = {
  removed: (file) => rmSync(file),
  "cut off": (file) => truncateSync(file, Math.floor(statSync(file).size / 2)),
  flipped(file) {
    const bytes = readFileSync(file);
    const at = Math.floor(bytes.length / 2);
    bytes.writeUInt8((bytes[at] ?? 0) ^ 1, at);
    writeFileSync(file, bytes);
  },
};

/** What the emulator writes anew at each start. What it keeps without databases is harmed in ../data. */
const own = ["postgres/ca.pem", "postgres/server.key"];

test.runIf(isBuildServer)(
  "a folder that is not whole is refused by name, or loses nothing",
  async () => {
    const data = newFolder();
    const folder = path.dirname(data);
    const { emulator, create, put } = await openDatabases({ data });
    const { id, url, shown } = await create();
    await put(url, "a");
    await emulator.close();
    const original = path.join(folder, "original");

    for (const name of own) {
      for (const [harm, spoil] of Object.entries(harms)) {
        const file = path.join(data, name);
        renameSync(file, original);
        copyFileSync(original, file);
        spoil(file);
        const { namesIn, emulator: mended } = await openDatabases({ data });
        expect([name, harm, await namesIn(url)]).toEqual([name, harm, ["a"]]);
        await mended.close();
        expect([name, harm, readFileSync(file, "utf8")]).toEqual([name, harm, readFileSync(original, "utf8")]);
        rmSync(original);
      }
    }

    const base = path.join(data, "postgres", "servers", "base");
    renameSync(base, original);
    await expect(createEmulator({ data, postgres })).rejects.toThrow(/servers\/base, from which .* is missing/);
    renameSync(original, base);

    // Ports: gone, they are chosen again by the same rule; spoilt or outside of the emulator's range, they are refused.
    const ports = path.join(data, "postgres", "ports.json");
    truncateSync(ports, 5);
    await expect(createEmulator({ data, postgres })).rejects.toThrow(/ports\.json is damaged/);
    writeFileSync(ports, sealed(JSON.stringify({ "svc/direct/0": 22 })));
    await expect(createEmulator({ data, postgres })).rejects.toThrow(/ports\.json is damaged/);
    rmSync(ports);
    const again = await openDatabases({ data });
    expect((await again.reach(id, "READY"))["endpoint"]).toEqual(shown["endpoint"]);
    expect(await again.namesIn(url)).toEqual(["a"]);
    await again.emulator.close();
    expect(existsSync(ports)).toBe(true);
  },
  120_000,
);
