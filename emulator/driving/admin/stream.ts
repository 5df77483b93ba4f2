// Streams requests as they are answered, one JSON document per line.

import type { ServerResponse } from "node:http";
import type { Emulator } from "../../emulator";
import type { RequestRecord } from "../../controlPlane/http/requests";
import { after } from "./operations";

/** A reader with this much unread output is disconnected: the emulator would have to hold all of it in memory. */
const mostUnread = 16 * 1024 * 1024;

/** With `since`, sends the records after the one with this id first. */
export function streamRequests(emulator: Emulator, since: string | undefined, response: ServerResponse): void {
  const write = (record: RequestRecord): void => {
    if (response.destroyed) return;
    response.write(`${JSON.stringify(record)}\n`);
    if (response.writableLength > mostUnread) response.destroy();
  };
  response.writeHead(200, { "Content-Type": "application/x-ndjson", "Cache-Control": "no-store" });
  response.flushHeaders();
  if (since !== undefined) for (const record of after(emulator.requests(), since)) write(record);
  response.once("close", emulator.watchRequests(write));
}
