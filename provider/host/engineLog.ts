// Messages to the engine that started this process, on the row of a resource. Nothing here may ever fail a handler.

import type { IEngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import { oneLine, printable } from "../domain/values/printable";

export interface EngineLog {
  /** The row of one resource, for one operation. Its progress shows only after `delayMs`. */
  row(urn: unknown, delayMs: number): Row;
}

export interface Row {
  /** A line on the resource's row that disappears when the operation ends. */
  progress(text: string): void;
  /** A line that stays, on the row and under Diagnostics. */
  warn(text: string): void;
  /** Ends the operation: resolves when its lines have arrived, or after a short time. */
  end(): Promise<void>;
}

// Pulumi: a malformed URN makes the CLI panic, and an unknown one creates a separate row.
const URN = /^urn:pulumi:[^:]+::[^:]+::.+::.+$/;
const FLUSH_LIMIT_MS = 1_000;

/** Without a client no line is sent: look-ups run in the program's own process, which has no row to write on. */
export function createEngineLog(client: IEngineClient | undefined): EngineLog {
  return {
    row(urn, delayMs) {
      const lines = createLines(client, urn);
      const progress = createReserve((text) => lines.send(text, LogSeverity.INFO, true), delayMs);
      let hasSpoken = false;
      return {
        progress: (text) => {
          progress.tell(text);
        },
        warn: (text) => {
          hasSpoken = true;
          lines.send(text, LogSeverity.WARNING, false);
        },
        async end() {
          if (progress.end() || hasSpoken) await lines.flush();
        },
      };
    },
  };
}

interface Lines {
  send(text: string, severity: LogSeverity, isEphemeral: boolean): void;
  flush(): Promise<void>;
}

/**
 * The lines of a row are sent one after the other, because calls on one connection may overtake each other, and the last line
 * stays. Rows do not wait for each other: of a hundred that end at once, the last would end late.
 */
function createLines(client: IEngineClient | undefined, urn: unknown): Lines {
  let underWay = 0;
  let last: Promise<void> = Promise.resolve();

  async function after(earlier: Promise<void>, engine: IEngineClient, request: LogRequest): Promise<void> {
    await earlier;
    await deliver(engine, request);
    underWay -= 1;
  }

  return {
    send(text, severity, isEphemeral) {
      if (client === undefined) return;
      const request = new LogRequest();
      request.setMessage(isEphemeral ? oneLine(text) : printable(text));
      request.setSeverity(severity);
      request.setUrn(typeof urn === "string" && URN.test(urn) ? urn : "");
      request.setEphemeral(isEphemeral);
      underWay += 1;
      last = after(last, client, request);
    },
    async flush() {
      if (underWay === 0) return;
      let timer: NodeJS.Timeout | undefined;
      const limit = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, FLUSH_LIMIT_MS);
      });
      await Promise.race([last, limit]);
      clearTimeout(timer);
    },
  };
}

/**
 * Holds lines back for `delayMs` after the first one, and drops them when the operation ends sooner. Short operations
 * show no progress: the lines of a thousand of them would cost the engine more than the operations themselves.
 */
function createReserve(tell: (text: string) => void, delayMs: number): { tell(text: string): void; end(): boolean } {
  let kept: string[] | undefined = delayMs === 0 ? undefined : [];
  let timer: NodeJS.Timeout | undefined;
  const tellAll = (): void => {
    for (const text of kept ?? []) tell(text);
    kept = undefined;
  };
  return {
    tell(text) {
      if (kept === undefined) return tell(text);
      kept.push(text);
      timer ??= setTimeout(tellAll, delayMs);
    },
    /** Answers whether a line may have been sent. */
    end() {
      clearTimeout(timer);
      return kept === undefined;
    },
  };
}

/** Always resolves: a lost line is no reason to fail. */
function deliver(client: IEngineClient, request: LogRequest): Promise<void> {
  return new Promise((resolve) => {
    try {
      client.log(request, () => {
        resolve();
      });
    } catch {
      // The channel is closed once the engine is gone.
      resolve();
    }
  });
}
