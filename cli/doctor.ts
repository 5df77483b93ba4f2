// `pulumi-dbcloud doctor`: checks the set-up, and says what to do about each problem. Changes nothing and shows no secret.
// Checks the version of Node.js before it sends a request: what requests need does not load on an older one.

import { oneLine } from "../provider/domain/values/printable";
import { accountOptions, type Command, parse, UsageError } from "./command";
import { checkConfiguration, checkNode, checkProvider, checkPulumi, type CheckResult } from "./checks";

const marks: Readonly<Record<CheckResult["verdict"], string>> = { good: "ok     ", note: "note   ", bad: "problem" };

export const doctor: Command = {
  usage: `Usage: pulumi-dbcloud doctor [options]

Checks Node.js, the Pulumi CLI, the package as a program in this folder finds it, the configuration, the API, and the
project, and says what to do about each problem. Changes nothing and shows no secret. Waits up to 15 seconds for the
server. The exit code is 1 if there is a problem.

  --project ID           use this instead of DBCLOUD_PROJECT_ID
  --base-url URL         use this instead of DBCLOUD_BASE_URL
  --help                 show this text
`,

  async run(argv, io) {
    const { values: flags, positionals } = parse(argv, accountOptions);
    const [first] = positionals;
    if (first !== undefined) throw new UsageError(`doctor takes only options, not ${JSON.stringify(first)}`);
    let problems = 0;
    let unseen = 0;
    const tell = (findings: readonly CheckResult[]): void => {
      for (const { verdict, text, advice, isOpen } of findings) {
        if (isOpen === true) unseen += 1;
        if (verdict === "bad") problems += 1;
        // Texts hold settings of a repository and answers of a server: each stays one line.
        io.out(`${marks[verdict]}  ${oneLine(text)}\n`);
        if (advice !== undefined) io.out(`${" ".repeat(9)}${oneLine(advice)}\n`);
      }
    };
    const node = checkNode(process.versions);
    tell(node);
    tell(await checkPulumi(io));
    tell(await checkProvider(io));
    if (node.every(({ verdict }) => verdict !== "bad")) {
      tell(await checkConfiguration(flags, io));
    }
    const sound = unseen === 0 ? "Everything is in place." : "No problem was found, but not everything was checked.";
    io.out(problems === 0 ? `\n${sound}\n` : `\n${problems} problem${problems === 1 ? "" : "s"}.\n`);
    return problems === 0 ? 0 : 1;
  },
};
