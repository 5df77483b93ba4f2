// GET …/logs: at most 500 entries, newest first, paged by an opaque cursor.

import { z } from "zod";
import { action, validated } from "../action";
import { timestamp } from "../fields";
import { findService } from "../lookups";
import { logPage } from "../logs";
import * as paths from "../paths";

const once = <S extends z.ZodType>(schema: S) => z.tuple([schema]).optional();
const repeated = z.array(z.string().trim().min(1)).optional();

const schema = z.strictObject({
  cursor: once(z.string().min(1)),
  node: once(z.string().regex(/^[0-9]+$/, "must be a number")),
  search: repeated,
  severities: repeated,
  since: once(timestamp),
  until: once(timestamp),
});

export const getLogs = action({
  operation: "getLogs",
  method: "GET",
  path: `${paths.service}/logs`,
  takesQuery: true,
  run(context) {
    const query = validated(schema, context.query);
    const { entity: service } = findService(context);
    const filter = {
      cursor: query.cursor?.[0],
      node: query.node && Number(query.node[0]),
      search: query.search ?? [],
      severities: query.severities ?? [],
      sinceMs: query.since && Date.parse(query.since[0]),
      untilMs: query.until && Date.parse(query.until[0]),
    };
    return { status: 200, body: logPage(service.logs, filter, context.world.settings.switches) };
  },
});
