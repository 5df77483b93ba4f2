// Faults and the clock of the emulator.

import { useState } from "preact/hooks";
import { addFault, advanceClock, clock, removeFault } from "./admin";
import { Do, SameAs } from "./byHand";
import type { Live } from "./stream";

const FAULTS: readonly (readonly [title: string, fault: object])[] = [
  ["the answer is lost, the change takes effect", { kind: "lostAfter" }],
  ["the request is lost", { kind: "lostBefore" }],
  ["503, and nothing happens", { kind: "status", status: 503 }],
  ["429, to be tried later", { kind: "status", status: 429, headers: { "Retry-After": "2" } }],
  ["500, although the change takes effect", { kind: "status", status: 500, commit: true }],
  ["a gateway's page in place of the answer", { kind: "html" }],
  ["the answer comes 5 seconds late", { kind: "delay", ms: 5_000 }],
  ["no answer at all", { kind: "stall" }],
  ["the object stays UPGRADING", { kind: "stuck", status: "UPGRADING" }],
  ["every request is lost for 10 seconds", { kind: "lostBefore", ms: 10_000 }],
];

const TIMES = [
  ["1", "one request"],
  ["2", "2 requests"],
  ["5", "5 requests"],
  ["always", "all requests"],
] as const;

/** The options of a list by their place in it. */
const numbered = (list: readonly (readonly [title: string, ...rest: unknown[]])[]): Option[] =>
  list.map(([title], index) => [String(index), title]);

type Option = readonly [value: string, title: string];

interface ChoiceProps {
  title: string;
  value: string;
  options: readonly Option[];
  choose: (value: string) => void;
}

function Choice({ title, value, options, choose }: ChoiceProps) {
  return (
    <label>
      {title}{" "}
      <select value={value} onChange={(event) => choose(event.currentTarget.value)}>
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

export function Faults({ live }: { live: Live }) {
  const [chosen, setChosen] = useState("0");
  const [operation, setOperation] = useState("*");
  const [times, setTimes] = useState("1");
  const [, fault] = FAULTS[Number(chosen)] ?? ["", {}];
  const scope = {
    ...(operation === "*" ? {} : { operation }),
    ...(times === "1" ? {} : { times: times === "always" ? times : Number(times) }),
  };
  const call = addFault({ ...fault, ...scope });
  const { faults } = live.controls;
  const operations = [["*", "any operation"], ...live.operations.map((name) => [name, name] as const)] as const;
  return (
    <section class="card" aria-label="Faults">
      <h2>Faults</h2>
      {faults.length === 0 && <p class="empty">There is none: every request is answered as it should be.</p>}
      <ul class="faults">
        {faults.map(({ id, text, hits }) => (
          <li key={id}>
            <b>{text}</b> <span class="from">applied {hits === 1 ? "once" : `${hits} times`}</span>{" "}
            <Do call={removeFault(id)} live={live} title={`Remove ${text}`} />
          </li>
        ))}
      </ul>
      <div class="form">
        <Choice title="What goes wrong" value={chosen} options={numbered(FAULTS)} choose={setChosen} />
        <Choice title="Operation" value={operation} options={operations} choose={setOperation} />
        <Choice title="How often" value={times} options={TIMES} choose={setTimes} />
        <Do call={call} live={live} title="Add the fault" />
      </div>
      <SameAs call={call} />
    </section>
  );
}

const STEPS = [
  ["10 seconds", 10_000],
  ["1 minute", 60_000],
  ["1 hour", 3_600_000],
  ["1 day", 86_400_000],
] as const;

export function Clock({ live }: { live: Live }) {
  const [step, setStep] = useState("0");
  const { now, isFrozen } = live.controls.clock;
  const call = advanceClock(STEPS[Number(step)]?.[1] ?? 0);
  return (
    <section class="card" aria-label="Clock">
      <h2>Clock</h2>
      <p>
        <output>{new Date(now).toISOString()}</output> · {isFrozen ? "it stands still" : "it goes on"}
      </p>
      <div class="form">
        <Do call={clock(isFrozen ? "resume" : "freeze")} live={live} title={isFrozen ? "Let it go on" : "Stop it"} />
        <Choice title="ahead by" value={step} options={numbered(STEPS)} choose={setStep} />
        <Do call={call} live={live} title="Put it ahead" />
      </div>
      <SameAs call={call} />
    </section>
  );
}
