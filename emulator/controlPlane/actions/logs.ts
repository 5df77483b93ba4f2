// GET …/logs: at most 500 entries, newest first, paged by an opaque cursor.

import { z } from "zod";
import type { LogEntry } from "../world/entities";
import { logPage, type LogPosition } from "../world/logs";
import { get, paths, validated, type Answer, type Context } from "./action";
import { invalid } from "./failure";
import { once, timestamp } from "./request/fields";
import { find } from "./request/find";

const repeated = z.array(z.string().trim().min(1)).optional();

const schema = z.strictObject({
  cursor: once(z.string().min(1)),
  node: once(z.string().regex(/^[0-9]+$/, "must be a number")),
  search: repeated,
  severities: repeated,
  since: once(timestamp),
  until: once(timestamp),
});

export const logs = {
  getLogs: get(`${paths.service}/logs`, getLogs, { query: schema }),
};

function getLogs(context: Context): Answer {
  const query = validated(schema, context.query);
  const { entity: service } = find(context, "service");
  const timeOf = (text: string | undefined) => (text === undefined ? undefined : Date.parse(text));
  const filter = {
    before: query.cursor === undefined ? undefined : positionOf(query.cursor),
    node: query.node === undefined ? undefined : Number(query.node),
    search: query.search ?? [],
    severities: query.severities ?? [],
    sinceMs: timeOf(query.since),
    untilMs: timeOf(query.until),
  };
  const { shown, hasMore } = logPage(service.logs, filter);
  const last = shown.at(-1);
  const cursor = hasMore && last ? cursorOf(last) : context.world.settings.switches.nullFields ? null : undefined;
  const body = {
    logs: shown.map((entry) => entry.message),
    entries: shown.map(entryWire),
    last_cursor: cursor,
    lastCursor: cursor,
  };
  return { status: 200, body };
}

const entryWire = ({ at, severity, message }: LogEntry): Record<string, string> => ({
  message,
  severity,
  timestamp: new Date(at).toISOString(),
});

/** The position of the last entry of a page, so that new entries never shift later pages. */
const cursorOf = ({ at, sequence }: LogPosition): string => Buffer.from(`${at}:${sequence}`).toString("base64url");

function positionOf(cursor: string): LogPosition {
  const match = /^(\d+):(\d+)$/.exec(Buffer.from(cursor, "base64url").toString());
  if (!match) throw invalid("cursor: not one of ours");
  return { at: Number(match[1]), sequence: Number(match[2]) };
}
