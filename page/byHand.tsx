// What somebody does in the vendor's console: one change of one object, at once, and the lines that do the same.

import { useState } from "preact/hooks";
import { type Call, changeByHand, curlOf, deleteByHand } from "./admin";
import type { Model } from "./model";
import { Lines } from "./parts";
import type { PageObject } from "./schema";
import type { Live } from "./stream";

interface Choice {
  /** What stands in the list of a field. */
  readonly text: string;
  readonly body: object;
}

interface Action {
  readonly title: string;
  /** Undefined: it is written. */
  readonly choices: readonly Choice[] | undefined;
  /** Of what is written. */
  bodyOf?(text: string): object;
}

const SIZES = [
  [500, 2],
  [1_000, 4],
  [2_000, 8],
  [4_000, 16],
] as const;

const resize: Action = {
  title: "Resize",
  choices: SIZES.map(([cpuMillis, memoryGbs]) => ({
    text: `${cpuMillis / 1_000} CPU, ${memoryGbs} GB`,
    body: { cpuMillis, memoryGbs },
  })),
};
const rename: Action = { title: "Rename", choices: undefined, bodyOf: (name) => ({ name }) };
const tag: Action = {
  title: "Tag",
  choices: ["DEV", "PROD"].map((environment) => ({ text: environment, body: { environment } })),
};
const pooler: Action = {
  title: "Pooler",
  choices: [true, false].map((poolerEnabled) => ({ text: poolerEnabled ? "on" : "off", body: { poolerEnabled } })),
};
const counted = (title: string, key: string, counts: readonly number[]): Action => ({
  title,
  choices: counts.map((count) => ({ text: String(count), body: { [key]: count } })),
});

function actionsOf({ kind }: PageObject, { objects }: Model): Action[] {
  if (kind === "Vpc") return [rename];
  if (kind === "ReadReplicaSet") return [resize, rename, counted("Nodes", "nodes", [1, 2, 3]), tag, pooler];
  if (kind === "Peering")
    return [
      {
        title: "Status",
        choices: ["active", "pending-acceptance", "failed", "deleted"].map((status) => ({
          text: status,
          body: { status },
        })),
      },
    ];
  const vpcs = [...objects.values()].filter((one) => one.kind === "Vpc");
  const moves = vpcs.map(({ id, name }) => ({ text: `to ${name}`, body: { vpcId: id } }));
  return [
    resize,
    rename,
    {
      title: "Pause or start",
      choices: [true, false].map((paused) => ({ text: paused ? "pause" : "start", body: { paused } })),
    },
    tag,
    { title: "Attach or detach", choices: [{ text: "out of its VPC", body: { vpcId: null } }, ...moves] },
    counted("Standbys", "replicaCount", [0, 1, 2]),
    pooler,
  ];
}

export function ByHand({ object, model, live }: { object: PageObject; model: Model; live: Live }) {
  const actions = actionsOf(object, model);
  const [chosen, setChosen] = useState(0);
  const [choice, setChoice] = useState(0);
  const [text, setText] = useState(object.name);
  const isDelete = chosen === actions.length;
  const action = actions[chosen];
  const body = action?.choices === undefined ? action?.bodyOf?.(text) : action.choices[choice]?.body;
  const call = isDelete || body === undefined ? deleteByHand(object) : changeByHand(object, body);
  return (
    <section class="card" aria-label="By hand">
      <h2>By hand, as in the vendor's console</h2>
      <p class="from">It takes effect at once, past all rules and without a request to the control plane.</p>
      <div class="form">
        <label>
          What{" "}
          <select
            value={chosen}
            onChange={(event) => {
              setChosen(Number(event.currentTarget.value));
              setChoice(0);
            }}
          >
            {[...actions.map(({ title }) => title), "Delete"].map((title, index) => (
              <option key={title} value={index}>
                {title}
              </option>
            ))}
          </select>
        </label>
        {action?.choices !== undefined && (
          <label>
            Value{" "}
            <select value={choice} onChange={(event) => setChoice(Number(event.currentTarget.value))}>
              {action.choices.map((one, index) => (
                <option key={one.text} value={index}>
                  {one.text}
                </option>
              ))}
            </select>
          </label>
        )}
        {action !== undefined && action.choices === undefined && (
          <label>
            Value <input value={text} onInput={(event) => setText(event.currentTarget.value)} />
          </label>
        )}
        <Do call={call} live={live} />
      </div>
      <SameAs call={call} />
    </section>
  );
}

/** A button that makes the call, and what came of it. */
export function Do({ call, live, title = "Do it" }: { call: Call; live: Live; title?: string }) {
  const [outcome, setOutcome] = useState("");
  return (
    <>
      <button
        type="button"
        class="do"
        onClick={() => {
          live.call(call).then(
            () => setOutcome("done"),
            (error: unknown) => setOutcome(`refused: ${(error as Error).message}`),
          );
        }}
      >
        {title}
      </button>
      <output>{outcome}</output>
    </>
  );
}

export const SameAs = ({ call }: { call: Call }) => (
  <div class="same">
    <Lines title="TypeScript" text={call.typescript} />
    <Lines title="curl" text={curlOf(call)} />
  </div>
);
