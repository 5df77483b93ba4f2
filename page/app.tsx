// The frame of the page: header with counts, the parts of the console, and what the address names.

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Clock, Faults } from "./controls";
import { Detail } from "./detail";
import { Landscape } from "./landscape";
import { countsOf, modelOf, moment, networkOf, patched, type Model, type Tone, wordOf } from "./model";
import { Requests } from "./requests";
import type { Controls } from "./schema";
import { Findings, LastRun } from "./side";
import { connect, keyOfLink, type Connection, type Live } from "./stream";

export function ConsoleApp() {
  const [key] = useState(keyOfLink);
  const [model, setModel] = useState<Model>();
  const [operations, setOperations] = useState<readonly string[]>([]);
  const [controls, setControls] = useState<Controls>({ clock: { now: 0, isFrozen: false }, faults: [] });
  const [trouble, setTrouble] = useState<string>();
  const [connection, setConnection] = useState<Omit<Connection, "operations">>();
  useEffect(() => {
    if (key === undefined) return;
    const connected = connect(key, {
      document(given, names) {
        setModel(modelOf(given));
        setOperations(names);
      },
      patch: (given) => setModel((known) => known && patched(known, given)),
      controls: setControls,
      trouble: setTrouble,
    });
    setConnection(connected);
  }, [key]);
  if (key === undefined) return <Notice>Open this page by the link that the emulator printed: it has the key.</Notice>;
  if (model === undefined || connection === undefined) return trouble === undefined ? null : <Notice>{trouble}</Notice>;
  return <App model={model} live={{ ...connection, operations, controls, trouble }} />;
}

const Notice = ({ children }: { children: ComponentChildren }) => (
  <main class="notice">
    <h1>pulumi-dbcloud</h1>
    <p role="status">{children}</p>
  </main>
);

/** The part of the address after the number sign. */
function useRoute(): string {
  const [route, setRoute] = useState(location.hash.replace(/^#\/?/, ""));
  useEffect(() => {
    const follow = (): void => {
      setRoute(location.hash.replace(/^#\/?/, ""));
      scrollTo(0, 0);
    };
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return route;
}

const PARTS = [
  ["", "Landscape"],
  ["requests", "Requests"],
  ["faults", "Faults and clock"],
] as const;

export function App({ model, live }: { model: Model; live: Live | undefined }) {
  const route = useRoute();
  const [tone, setTone] = useState<Tone>();
  const network = useMemo(() => networkOf(model), [model]);
  const counts = countsOf(model, network);
  useEffect(() => {
    document.title = `${model.title} · ${live === undefined ? "drift" : "emulator"}`;
  }, [model.title, live === undefined]);
  const [, key] = /^o\/(.*)$/.exec(route) ?? [];
  const object = key === undefined ? undefined : model.objects.get(decodeURIComponent(key));
  return (
    <>
      <header>
        <h1>
          <a href="#/">{model.title}</a>
        </h1>
        <span class="when">
          {[model.projects.join(", "), model.stacks.length > 0 ? `stacks ${model.stacks.join(", ")}` : ""]
            .filter(Boolean)
            .join(" · ")}
          {live === undefined && ` · ${moment(model.at)}`}
        </span>
        {live !== undefined && (
          <nav aria-label="Parts of the console">
            {PARTS.map(([name, title]) => (
              <a key={name} href={`#/${name}`} aria-current={route === name ? "page" : undefined}>
                {title}
              </a>
            ))}
          </nav>
        )}
        <div class="counts" role="group" aria-label="Show only">
          <button type="button" class="count" aria-pressed={tone === undefined} onClick={() => setTone(undefined)}>
            {model.objects.size} {model.objects.size === 1 ? "object" : "objects"}
          </button>
          {[...counts].map(([one, count]) => (
            <button
              type="button"
              key={one}
              class={`count ${one}`}
              aria-pressed={tone === one}
              onClick={() => setTone(tone === one ? undefined : one)}
            >
              {count} {wordOf(one)}
            </button>
          ))}
        </div>
      </header>
      {live?.trouble !== undefined && (
        <p class="trouble" role="alert">
          {live.trouble}
        </p>
      )}
      {partOf()}
    </>
  );

  function partOf() {
    if (key !== undefined) return <Detail model={model} network={network} object={object} live={live} />;
    if (live !== undefined && route === "requests") return <Requests model={model} />;
    if (live !== undefined && route === "faults")
      return (
        <main class="plain">
          <Faults live={live} />
          <Clock live={live} />
        </main>
      );
    return (
      <main>
        <Landscape model={model} network={network} tone={tone} />
        <aside>
          <Findings model={model} />
          <LastRun model={model} />
        </aside>
      </main>
    );
  }
}
