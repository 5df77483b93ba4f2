// What is said of a program that fails.

import { expect, test } from "vitest";
import { serverAccount } from "../../../emulator/databases/install/account";
import { script } from "../../../emulator/databases/install/run";

const programs = { account: serverAccount(), libraryPath: undefined };
const repeated = (line: string): string => `for i in $(seq 90); do echo "${line}" >&2; done; exit 1`;

test("a full disk, which every file runs into, is one line", async () => {
  const text = repeated("cp: error copying '/from/a/long/path/$i' to '/to/$i': No space left on device");
  await expect(script(programs, text)).rejects.toThrow(
    /^\/bin\/sh ended with 1: cp: error copying '\/from\/a\/long\/path\/1' to '\/to\/1': No space left on device$/,
  );
});

test("a long text begins with a whole line", async () => {
  await expect(script(programs, repeated("line $i of a long text, longer than what is shown"))).rejects.toThrow(
    /^\/bin\/sh ended with 1: line \d+ of a long text[^]*line 90 of a long text, longer than what is shown$/,
  );
});
