// GET …/logs: at most 500 entries, newest first, paged by an opaque cursor.

import { z } from "zod";
import type { LogEntry } from "../world/entities";
import { logPage, type LogPosition } from "../world/logs";
import { get, validated, type Answer, type Context } from "./action";
import { invalid } from "./failure";
import { timestamp } from "./request/fields";
import { findService } from "./request/find";
import * as paths from "./request/paths";

const given = <S extends z.ZodType>(schema: S) => z.tuple([schema]).optional();
const repeated = z.array(z.string().trim().min(1)).optional();

const schema = z.strictObject({
  cursor: given(z.string().min(1)),
  node: given(z.string().regex(/^[0-9]+$/, "must be a number")),
  search: repeated,
  severities: repeated,
  since: given(timestamp),
  until: given(timestamp),
});

export const logs = { getLogs: get(`${paths.service}/logs`, getLogs, { query: schema }) };

function getLogs(context: Context): Answer {
  const query = validated(schema, context.query);
  const { entity: service } = findService(context);
  const filter = {
    before: query.cursor && positionOf(query.cursor[0]),
    node: query.node && Number(query.node[0]),
    search: query.search ?? [],
    severities: query.severities ?? [],
    sinceMs: query.since && Date.parse(query.since[0]),
    untilMs: query.until && Date.parse(query.until[0]),
  };
  const { shown, hasMore } = logPage(service.logs, filter);
  const { switches } = context.world.settings;
  const last = shown.at(-1);
  const cursor = hasMore && last ? cursorOf(last) : switches.nullFields ? null : undefined;
  const body = {
    logs: shown.map((entry) => entry.message),
    entries: switches.logEntries ? shown.map(entryWire) : undefined,
    last_cursor: switches.cursorSpelling === "lastCursor" ? undefined : cursor,
    lastCursor: switches.cursorSpelling === "last_cursor" ? undefined : cursor,
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
