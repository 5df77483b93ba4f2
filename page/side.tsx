// Beside the landscape: what is found, with its consequence, and what the last run did.

import { useState } from "preact/hooks";
import { duration, type Model, runsOf, textOf, toneOf, wordOf } from "./model";
import { addressOf, Bar, Lines, phasesInWords, spanOf, useWhole, Words } from "./parts";
import type { PageFinding } from "./schema";

export function Findings({ model }: { model: Model }) {
  const { findings, heading, summary } = model;
  const [isAll, setAll] = useState(false);
  useWhole(() => setAll(true));
  return (
    <section class="card" aria-label="Findings">
      <h2>
        <Words>{heading}</Words>
      </h2>
      <p class="summary">
        <Words>{summary}</Words>
      </p>
      {(isAll ? findings : findings.slice(0, MOST)).map((finding, index) => (
        <FindingBox key={index} finding={finding} model={model} />
      ))}
      {!isAll && findings.length > MOST && (
        <button type="button" class="do" onClick={() => setAll(true)}>
          Show all {findings.length}
        </button>
      )}
    </section>
  );
}

/** The gravest come first. */
const MOST = 12;

export function FindingBox({ finding, model }: { finding: PageFinding; model: Model }) {
  const tone = toneOf(finding);
  const [first] = finding.about.flatMap((key) => model.objects.get(key) ?? []);
  return (
    <div class={`find ${tone}`}>
      <b>
        {first === undefined ? finding.title : <a href={addressOf(first)}>{finding.title}</a>}{" "}
        <span class="unseen">({wordOf(tone)})</span>
      </b>
      {finding.stack !== undefined && <span class="from">{finding.stack}</span>}
      {finding.property !== undefined && (
        <span>
          <s>{textOf(finding.program)}</s> → {textOf(finding.live)}
        </span>
      )}
      {finding.next !== undefined && (
        <span>
          <Words>{finding.next}</Words>
        </span>
      )}
      {finding.keep !== undefined && (
        <span class="fix">
          <Words>{finding.keep}</Words>
        </span>
      )}
      {finding.command !== undefined && <Lines title="Command" text={finding.command} />}
    </div>
  );
}

/** Rows of the small picture of a run. */
const ROWS = 12;

export function LastRun({ model }: { model: Model }) {
  const run = runsOf(model.events.values()).findLast(({ events }) =>
    events.some(({ is, program }) => is === "change" && program !== undefined),
  );
  if (run === undefined) return null;
  const changes = run.events.filter(({ is }) => is === "change");
  const span = spanOf(changes, model);
  const byObject = Map.groupBy(changes, ({ about = "" }) => about);
  const rows = [...byObject].slice(0, ROWS);
  return (
    <section class="card" aria-label="Last run">
      <h2>
        Last run · {changes.length} {changes.length === 1 ? "change" : "changes"} · {duration(span.to - span.from)}
      </h2>
      <div class="time">
        {rows.map(([key, events]) => {
          const object = model.objects.get(key);
          const own = spanOf(events, model);
          const words = events.map((event) => `${event.title}: ${phasesInWords(event)}`).join("; ");
          return (
            <div key={key} class="timerow">
              <span>
                {object === undefined ? (events[0]?.title ?? "") : <a href={addressOf(object)}>{object.name}</a>}
              </span>
              <div class="bar" role="img" aria-label={words}>
                {events.map((event) => (
                  <Bar key={event.id} event={event} {...span} />
                ))}
              </div>
              <span>{duration(own.to - own.from)}</span>
            </div>
          );
        })}
      </div>
      {byObject.size > ROWS && <p class="from">and {byObject.size - ROWS} more objects</p>}
      <p class="from">{run.program} · a line: a call · a bar: the change under way</p>
    </section>
  );
}
