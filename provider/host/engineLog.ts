// Messages to the engine that started this process, on the row of a resource. Nothing here may ever fail a handler.

import type { IEngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import { oneLine, printable } from "../domain/values/printable";

/** The row of one resource, for one operation. Its progress shows only after `delayMs`. */
export type OpenRow = (urn: unknown, delayMs: number) => Row;

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
export function createEngineLog(client: IEngineClient | undefined): OpenRow {
  return (urn, delayMs) => {
    // The lines of a row are sent one after the other, because calls on one connection may overtake each other, and the last
    // line stays. Rows do not wait for each other: of a hundred that end at once, the last would end late.
    let last: Promise<void> | undefined;
    // Progress is held back for `delayMs` after the first line, and dropped when the operation ends sooner: the lines of a
    // thousand short operations would cost the engine more than the operations themselves.
    let held: string[] | undefined = delayMs === 0 ? undefined : [];
    let timer: NodeJS.Timeout | undefined;

    const send = (text: string, severity: LogSeverity, isEphemeral: boolean): void => {
      if (client === undefined) return;
      const request = new LogRequest();
      request.setMessage(isEphemeral ? oneLine(text) : printable(text));
      request.setSeverity(severity);
      request.setUrn(typeof urn === "string" && URN.test(urn) ? urn : "");
      request.setEphemeral(isEphemeral);
      last = (last ?? Promise.resolve()).then(() => deliver(client, request));
    };
    const sendHeld = (): void => {
      for (const text of held ?? []) send(text, LogSeverity.INFO, true);
      held = undefined;
    };

    return {
      progress(text) {
        if (held === undefined) return send(text, LogSeverity.INFO, true);
        held.push(text);
        timer ??= setTimeout(sendHeld, delayMs);
      },
      warn(text) {
        send(text, LogSeverity.WARNING, false);
      },
      async end() {
        clearTimeout(timer);
        if (last === undefined) return;
        // Node older than 22 has no `Promise.withResolvers`, and its error is told through a row that ends.
        let limit: NodeJS.Timeout | undefined;
        const late = new Promise((resolve) => (limit = setTimeout(resolve, FLUSH_LIMIT_MS)));
        await Promise.race([last, late]);
        clearTimeout(limit);
      },
    };
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
