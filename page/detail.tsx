// One object: what it is, what is found about it, what happened to it and who asked, its logs, and what can be done by hand.

import { useEffect, useState } from "preact/hooks";
import { ByHand } from "./byHand";
import { managersOf, Mark, Status } from "./landscape";
import { duration, type Model, moment, type Network, textOf, worstOf } from "./model";
import { Bar, ObjectLink, spanOf } from "./parts";
import type { PageEvent, PageObject } from "./schema";
import { FindingBox } from "./side";
import type { Live, LogLine } from "./stream";

interface DetailProps {
  model: Model;
  network: Network;
  /** Undefined: the address names none that is there. */
  object: PageObject | undefined;
  live: Live | undefined;
}

const NOUNS: Readonly<Record<PageObject["kind"], string>> = {
  Vpc: "VPC",
  Peering: "Peering",
  Service: "Service",
  ReadReplicaSet: "Read replica set",
};

export function Detail({ model, network, object, live }: DetailProps) {
  if (object === undefined)
    return (
      <main class="plain">
        <p class="empty">
          This object is not there, or not any more. <a href="#/">All objects</a>
        </p>
      </main>
    );
  const findings = network.findingsOf.get(object.key) ?? [];
  const events = [...model.events.values()].filter((event) => event.is === "change" && event.about === object.key);
  return (
    <main class="plain">
      <section class="card">
        <h2 class="big">
          {NOUNS[object.kind]} {object.name} <code>{object.id}</code> <Status object={object} />{" "}
          <Mark worst={worstOf(findings)} />
        </h2>
        <dl class="facts">
          {factsOf(object, model, network).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </section>
      {findings.length > 0 && (
        <section class="card" aria-label="Findings">
          <h2>Findings</h2>
          {findings.map((finding, index) => (
            <FindingBox key={index} finding={finding} model={model} />
          ))}
        </section>
      )}
      {live !== undefined && <Changes events={events} model={model} />}
      {live !== undefined && <ByHand key={object.key} object={object} model={model} live={live} />}
      {live !== undefined && object.kind === "Service" && <Logs object={object} live={live} />}
    </main>
  );
}

function factsOf(object: PageObject, { objects, relations }: Model, { forksOf, setsOf }: Network) {
  const related = relations.flatMap(({ is, from, to }) =>
    from === object.key ? [{ is, other: objects.get(to) }] : [],
  );
  const words = { in: "in", of: "belongs to", forkOf: "fork of" } as const;
  const links = related.flatMap(({ is, other }) =>
    other === undefined ? [] : [[words[is], <ObjectLink object={other} />] as const],
  );
  const list = (all: readonly PageObject[]) => all.map((one) => [<ObjectLink key={one.key} object={one} />, " "]);
  const forks = forksOf.get(object.key) ?? [];
  const sets = setsOf.get(object.key) ?? [];
  const managers = managersOf(object);
  return [
    ...links,
    ...(managers.length > 0 ? [["managed by", managers.join(", ")] as const] : []),
    ...(forks.length > 0 ? [["forks", list(forks)] as const] : []),
    ...(sets.length > 0 ? [["has", list(sets)] as const] : []),
    ...(object.createdAt === undefined ? [] : [["created", moment(object.createdAt)] as const]),
    ["project", object.project] as const,
    ...Object.entries(object.properties).map(([name, value]) => [name, textOf(value)] as const),
  ];
}

function Changes({ events, model }: { events: readonly PageEvent[]; model: Model }) {
  // On one scale, so that what lasts longer is longer.
  const longest = Math.max(1, ...events.map((event) => lengthOf(spanOf([event], model))));
  return (
    <section class="card" aria-label="Timeline">
      <h2>Timeline</h2>
      {events.length === 0 && <p class="empty">Nothing since the emulator began.</p>}
      <ol class="events">
        {events.toReversed().map((event) => {
          const { from } = spanOf([event], model);
          return (
            <li key={event.id}>
              <time>{event.at.slice(11, 23)}</time> <b>{event.title}</b> by {event.by}
              {event.request !== undefined && (
                <>
                  {" "}
                  · <code>{event.request}</code>
                </>
              )}
              {event.program !== undefined && <span class="from"> · {event.program}</span>}
              {event.note !== undefined && <div>{event.note}</div>}
              <div class="bar" aria-hidden="true">
                <Bar event={event} from={from} to={from + longest} />
              </div>
              <ul class="phases">
                {(event.phases ?? []).map(({ status, ms }, index) => (
                  <li key={index}>
                    <span class="st">{status}</span> {ms === undefined ? "until now" : duration(ms)}
                  </li>
                ))}
                {(event.phases ?? []).length === 0 && <li>at once</li>}
              </ul>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

const lengthOf = ({ from, to }: { from: number; to: number }): number => to - from;

function Logs({ object, live }: { object: PageObject; live: Live }) {
  const [lines, setLines] = useState<readonly LogLine[]>([]);
  useEffect(() => {
    let isLeft = false;
    const read = async (): Promise<void> => {
      const given = await live.logs(object.id);
      if (!isLeft) setLines(given);
    };
    void read();
    return () => {
      isLeft = true;
    };
  }, [object.id, object.logs]);
  return (
    <section class="card" aria-label="Logs">
      <h2>Logs · newest {lines.length}</h2>
      <div class="logs" tabIndex={0} role="group" aria-label="Log lines">
        {lines.map(({ at, severity, message }, index) => (
          <div key={index} class={severity === "LOG" ? "log" : "log loud"}>
            <time>{at.slice(11, 23)}</time> <span class="sev">{severity}</span> {message}
          </div>
        ))}
      </div>
    </section>
  );
}
