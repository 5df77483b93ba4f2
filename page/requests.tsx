// The requests to the control plane, by run: what each program asked, and what it was answered.

import { useState } from "preact/hooks";
import { duration, type Model, type Run, runsOf } from "./model";
import { ObjectLink, Windowed } from "./parts";
import type { PageEvent } from "./schema";

export function Requests({ model }: { model: Model }) {
  const [isAll, setAll] = useState(false);
  const requests = [...model.events.values()].filter(({ is }) => is === "request");
  const runs = runsOf(requests).toReversed();
  return (
    <main class="plain">
      <section class="card" aria-label="Requests">
        <h2>Requests by run</h2>
        <p class="from">A run is what one program asked with no pause of more than 10 seconds. The newest first.</p>
        <label>
          <input type="checkbox" checked={isAll} onChange={(event) => setAll(event.currentTarget.checked)} /> also reads
        </label>
        {runs.length === 0 && <p class="empty">Nothing was asked yet.</p>}
        {runs.map((run) => (
          <RunBox key={run.id} run={run} isAll={isAll} model={model} />
        ))}
      </section>
    </main>
  );
}

const isRead = ({ title }: PageEvent): boolean => title.startsWith("GET ");

function RunBox({ run, isAll, model }: { run: Run; isAll: boolean; model: Model }) {
  const shown = isAll ? run.events : run.events.filter((event) => !isRead(event) || (event.code ?? 0) >= 400);
  const reads = run.events.filter(isRead).length;
  return (
    <details open class="run">
      <summary>
        {run.program} · {run.events.length} requests, {reads} of them reads · {duration(run.to - run.from)}
      </summary>
      <Windowed items={shown.toReversed()} class="requests" rowPx={40} isFirst>
        {(event) => <RequestLine key={event.id} event={event} model={model} />}
      </Windowed>
    </details>
  );
}

function RequestLine({
  event: { at, title, code, by, about, request, note },
  model,
}: {
  event: PageEvent;
  model: Model;
}) {
  const object = model.objects.get(about ?? "");
  const isBad = code === undefined || code >= 400;
  return (
    <div class="request">
      <time>{at.slice(11, 23)}</time>
      <b class={isBad ? "bad" : ""}>{code ?? "no answer"}</b>
      <code>{title}</code>
      <span class="from">
        {object !== undefined && <ObjectLink object={object} />} {[by, request, note].filter(Boolean).join(" · ")}
      </span>
    </div>
  );
}
