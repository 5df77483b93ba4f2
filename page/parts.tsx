// Small parts that several others use.

import { type ComponentChildren, options } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { duration, endOf, type Model } from "./model";
import type { PageEvent, PageObject } from "./schema";

export const addressOf = ({ key }: PageObject): string => `#/o/${encodeURIComponent(key)}`;

export const ObjectLink = ({ object }: { object: PageObject }) => <a href={addressOf(object)}>{object.name}</a>;

const hidden = new Set<() => void>();

// Paper has no scrolling: everything is drawn before the browser looks at the page.
addEventListener("beforeprint", () => {
  options.debounceRendering = (work) => work();
  for (const show of hidden) show();
  delete options.debounceRendering;
});

/** Called before the page is printed. */
export function useWhole(show: () => void): void {
  useEffect(() => {
    hidden.add(show);
    return () => {
      hidden.delete(show);
    };
  }, []);
}

/** Divisible by the usual numbers of columns. */
const CHUNK = 24;

interface WindowedProps<T> {
  items: readonly T[];
  /** Of one item, until it has been drawn. */
  rowPx: number;
  class: string;
  /** Drawn at once, before it is known what is seen. */
  isFirst: boolean;
  children: (item: T) => ComponentChildren;
}

/** Draws what is near the visible part, in chunks; the others keep their place empty. */
export function Windowed<T>({ items, rowPx, class: name, isFirst, children }: WindowedProps<T>) {
  const chunks = [];
  for (let from = 0; from < items.length; from += CHUNK) {
    const own = items.slice(from, from + CHUNK);
    chunks.push(
      <Chunk key={from} class={name} isFirst={isFirst && from === 0} estimatePx={own.length * rowPx}>
        {() => own.map(children)}
      </Chunk>,
    );
  }
  return <>{chunks}</>;
}

interface ChunkProps {
  class: string;
  isFirst: boolean;
  estimatePx: number;
  children: () => ComponentChildren;
}

function Chunk({ class: name, isFirst, estimatePx, children }: ChunkProps) {
  const place = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(isFirst);
  const heightPx = useRef(estimatePx);
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry === undefined) return;
        if (!entry.isIntersecting && element.childElementCount > 0) heightPx.current = element.offsetHeight;
        setNear(entry.isIntersecting);
      },
      { rootMargin: "600px" },
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
    };
  }, []);
  useWhole(() => setNear(true));
  return isNear ? (
    <div ref={place} class={name}>
      {children()}
    </div>
  ) : (
    <div ref={place} style={{ height: `${heightPx.current}px` }} />
  );
}

interface BarProps {
  event: PageEvent;
  from: number;
  to: number;
}

/** The request of a change, and how long each status lasted after it. */
export function Bar({ event, from, to }: BarProps) {
  const whole = Math.max(1, to - from);
  const share = (ms: number): string => `${Math.min(100, Math.max(0, (100 * ms) / whole))}%`;
  let at = Date.parse(event.at);
  const phases = (event.phases ?? []).map(({ status, ms }, index) => {
    const lasts = ms ?? Math.max(0, to - at);
    const left = share(at - from);
    at += lasts;
    return (
      <i key={index} class={ms === undefined ? "w on" : "w"} title={status} style={{ left, width: share(lasts) }} />
    );
  });
  return (
    <>
      {phases}
      <i class="call" style={{ left: share(Date.parse(event.at) - from) }} />
    </>
  );
}

export const phasesInWords = ({ phases = [] }: PageEvent): string =>
  phases.map(({ status, ms }) => `${status} ${ms === undefined ? "still" : duration(ms)}`).join(", ") || "at once";

export function spanOf(events: readonly PageEvent[], { at }: Model): { from: number; to: number } {
  const isOpen = events.some(({ phases = [] }) => phases.some(({ ms }) => ms === undefined));
  const ends = events.map(endOf);
  const from = Math.min(...events.map((event) => Date.parse(event.at)));
  return { from, to: Math.max(from + 1, ...ends, isOpen ? Date.parse(at) : 0) };
}

/** Lines to copy into a test, a program or a shell. */
export function Lines({ title, text }: { title: string; text: string }) {
  const [isCopied, setCopied] = useState(false);
  return (
    <div class="lines">
      <span>{title}</span>
      <button
        type="button"
        onClick={() =>
          void navigator.clipboard.writeText(text).then(
            () => setCopied(true),
            () => setCopied(false),
          )
        }
      >
        {isCopied ? "Copied" : "Copy"}
      </button>
      <pre tabIndex={0} aria-label={title}>
        {text}
      </pre>
    </div>
  );
}

/** Words between backticks are code. */
export const Words = ({ children }: { children: string }) => (
  <>{children.split("`").map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>
);
