// The connection to the console: server-sent events with the document, what changes in it, and the controls; calls of the
// admin API. The key comes with the link, and stays in this tab.

import type { Call } from "./admin";
import type { Controls, PageDocument, PagePatch } from "./schema";

export interface LogLine {
  at: string;
  node: number;
  severity: string;
  message: string;
}

export interface Connection {
  /** Rejects with what the emulator says. */
  call(call: Call): Promise<void>;
  logs(serviceId: string): Promise<LogLine[]>;
  readonly operations: readonly string[];
}

/** What the console adds to a document. */
export interface Live extends Connection {
  readonly controls: Controls;
  readonly trouble: string | undefined;
}

interface Listener {
  /** Also after the connection was lost: the whole again. */
  document(given: PageDocument, operations: readonly string[]): void;
  patch(given: PagePatch): void;
  controls(given: Controls): void;
  /** Undefined: connected. */
  trouble(text: string | undefined): void;
}

const STORED_KEY = "key";
const RETRY_MS = 1_000;

/** From the link, which loses it: an address bar is shown to others. A reload of this tab finds it again. */
export function keyOfLink(): string | undefined {
  const [, given] = /^#key=(.+)$/.exec(location.hash) ?? [];
  if (given !== undefined) {
    sessionStorage.setItem(STORED_KEY, decodeURIComponent(given));
    history.replaceState(null, "", "#/");
  }
  return sessionStorage.getItem(STORED_KEY) ?? undefined;
}

export function connect(key: string, listener: Listener): Omit<Connection, "operations"> {
  const headers = { Authorization: `Bearer ${key}` };
  const base = location.pathname.replace(/\/$/, "");

  async function listen(): Promise<string> {
    const response = await fetch(`${base}/stream`, { headers, cache: "no-store" });
    if (response.status === 401) return "";
    if (!response.ok || response.body === null) throw new Error(`status ${response.status}`);
    listener.trouble(undefined);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return "the emulator has ended the connection";
      text += value;
      const parts = text.split("\n\n");
      text = parts.pop() ?? "";
      for (const part of parts) deliver(part);
    }
  }

  function deliver(part: string): void {
    const [, name = "", data = ""] = /^event: (\w+)\ndata: (.*)$/s.exec(part) ?? [];
    if (name === "document") {
      const { operations, ...given } = JSON.parse(data) as PageDocument & { operations: string[] };
      listener.document(given, operations);
    } else if (name === "patch") listener.patch(JSON.parse(data) as PagePatch);
    else if (name === "controls") listener.controls(JSON.parse(data) as Controls);
  }

  async function keepListening(): Promise<void> {
    for (;;) {
      let why: string;
      try {
        why = await listen();
      } catch {
        why = "the emulator does not answer";
      }
      if (why === "") {
        listener.trouble("The key of this link is wrong. The emulator makes a new one each time it starts.");
        return;
      }
      listener.trouble(`Not connected: ${why}. What you see is from before.`);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  void keepListening();
  return {
    async call({ method, path, body }) {
      const json = body === undefined ? {} : { body: JSON.stringify(body) };
      const sent = { ...headers, "Content-Type": "application/json" };
      const response = await fetch(`${base}/v1${path}`, { method, headers: sent, ...json });
      if (response.ok) return;
      const { message } = (await response.json()) as { message?: string };
      throw new Error(message ?? `status ${response.status}`);
    },
    async logs(serviceId) {
      const response = await fetch(`${base}/logs?service=${encodeURIComponent(serviceId)}`, { headers });
      return response.ok ? ((await response.json()) as LogLine[]) : [];
    },
  };
}
