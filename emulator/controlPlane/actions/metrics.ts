// Usage over time for profile `public`: made-up values, derived from the service's id, one per bucket, none before the
// service's creation.

import { z } from "zod";
import type { Service } from "../world/entities";
import { hashOf } from "../world/random";
import { get, postJson, type Answer, type Context } from "./action";
import { invalid } from "./failure";
import { timestamp } from "./request/fields";
import { findService } from "./request/find";
import * as paths from "./request/paths";

/** Each metric's name and the upper bound of its values. */
const series: ReadonlyMap<string, number> = new Map([
  ["timescale_cloud_system_cpu_usage_millicores", 500],
  ["timescale_cloud_system_memory_usage_bytes", 2 ** 31],
  ["timescale_cloud_system_disk_usage_bytes", 2 ** 33],
  ["timescale_cloud_database_qps", 900],
  ["timescale_cloud_database_num_connections", 100],
]);

const [minuteSeconds, hourSeconds, daySeconds] = [60, 3_600, 86_400];

const seriesRequest = z.strictObject({
  name: z.string(),
  from: timestamp,
  to: timestamp,
  bucket_seconds: z.int().min(minuteSeconds).optional(),
  fn: z.enum(["RATE", "INCREASE", "SUM", "AVG", "MIN", "MAX", "COUNT", "P50", "P90", "P99", "LAST"]).optional(),
  filters: z.array(z.strictObject({ key: z.string().min(1), value: z.string().min(1) })).optional(),
});

const mostBuckets = 10_000;

export const metrics = {
  getServiceMetricsAvailableSeries: get(
    `${paths.service}/metrics/available-series`,
    (context) => {
      findService(context);
      return { status: 200, body: [...series.keys()] };
    },
    { offer: "public" },
  ),

  getServiceMetricsSeries: postJson(`${paths.service}/metrics/series`, seriesRequest, getSeries, { offer: "public" }),
};

function getSeries(context: Context, request: z.infer<typeof seriesRequest>): Answer {
  const { entity: service } = findService(context);
  const bound = series.get(request.name);
  if (bound === undefined) throw invalid(`name: no metric series is called "${request.name}"`);
  if (request.fn !== undefined) throw invalid("fn: not accepted on this metric");
  const [from, to] = [Date.parse(request.from), Date.parse(request.to)];
  if (from >= to) throw invalid("to: must be later than from");
  const bucketMs = 1_000 * (request.bucket_seconds ?? usualBucket((to - from) / 1_000));
  if ((to - from) / bucketMs > mostBuckets) throw invalid("bucket_seconds: too fine for this window");
  const isPrimary = (request.filters ?? []).every(({ key, value }) => key === "role" && /^primary$/i.test(value));
  const body = isPrimary
    ? [{ labels: { role: "primary" }, data: dataPoints(service, request.name, bound, { from, to, bucketMs }) }]
    : [];
  return { status: 200, body };
}

function usualBucket(windowSeconds: number): number {
  if (windowSeconds <= hourSeconds) return minuteSeconds;
  return windowSeconds <= 30 * daySeconds ? hourSeconds : daySeconds;
}

function dataPoints(
  service: Service,
  name: string,
  bound: number,
  { from, to, bucketMs }: { from: number; to: number; bucketMs: number },
): { time: string; value: number | null }[] {
  const points = [];
  for (let at = Math.floor(from / bucketMs) * bucketMs; at < to; at += bucketMs) {
    const value = at < service.createdAt ? null : hashOf(`${service.id}/${name}/${at}`, bound);
    points.push({ time: new Date(at).toISOString(), value });
  }
  return points;
}
