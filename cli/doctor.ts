// `pulumi-dbcloud doctor`: checks the set-up, and says what to do about each problem. Changes nothing and shows no secret.
// Checks the version of Node.js before it sends a request: what requests need does not load on an older one.

import { oneLine } from "../provider/domain/values/printable";
import { accountOptions, accountUsage, type Command, parse, UsageError } from "./command";
import { checkConfiguration, checkNode, checkProvider, checkPulumi, type CheckResult } from "./checks";

const marks: Readonly<Record<CheckResult["verdict"], string>> = { good: "ok     ", note: "note   ", bad: "problem" };

export const doctor: Command = {
  usage: `Usage: pulumi-dbcloud doctor [options]

Checks Node.js, the Pulumi CLI, the package as a program in this folder finds it, the configuration, the API, and the
project, and says what to do about each problem. Changes nothing and shows no secret. The settings of the selected stack
count too. The exit code is 1 if there is a problem.

${accountUsage}
`,

  async run(argv, io) {
    const { values: flags, positionals } = parse(argv, accountOptions);
    const [first] = positionals;
    if (first !== undefined) throw new UsageError(`doctor takes only options, not ${JSON.stringify(first)}`);
    const counts = { good: 0, note: 0, bad: 0 };
    const tell = (findings: readonly CheckResult[]): void => {
      for (const { verdict, text, advice } of findings) {
        counts[verdict] += 1;
        // Texts hold settings of a repository and answers of a server: each stays one line.
        io.out(`${marks[verdict]}  ${oneLine(text)}\n`);
        if (advice !== undefined) io.out(`${" ".repeat(9)}${oneLine(advice)}\n`);
      }
    };
    tell(checkNode(process.versions));
    const canAsk = counts.bad === 0;
    tell(await checkPulumi(io));
    tell(await checkProvider(io));
    if (canAsk) tell(await checkConfiguration(flags, io));
    const sound = counts.note === 0 ? "Everything is in place." : "No problem was found; read the notes.";
    io.out(`\n${counts.bad === 0 ? sound : `Problems: ${counts.bad}.`}\n`);
    return counts.bad === 0 ? 0 : 1;
  },
};
