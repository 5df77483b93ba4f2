// The figures as tables: the same ones for the terminal and for the document. Each figure has its baseline beside it.

import { getsOf, peakOf, quantile, requestsOf } from "./figures.mjs";

const MB = 1_000_000;
const TITLES = {
  up: "up",
  preview: "preview, no change",
  refresh: "refresh",
  update: "update of all",
  destroy: "destroy",
};

export function tablesOf({ results, handlers }) {
  const lives = results.filter(({ kind }) => kind === "life").map(lifeTable);
  return [...lives, ...waitingTable(results), ...latenessTable(results), sizesTable(results, handlers)];
}

function lifeTable({ title, subjects: { floor, ours, naive } }) {
  const head = [
    "",
    "floor",
    "ours",
    "ratio",
    "naive",
    "requests",
    "of them GETs",
    "naive's",
    "peak memory, floor",
    "ours",
  ];
  const rows = Object.keys(ours).map((name) => [
    TITLES[name],
    seconds(floor[name].wallMs),
    seconds(ours[name].wallMs),
    times(ours[name].wallMs / floor[name].wallMs),
    naive === undefined ? "" : seconds(naive[name].wallMs),
    count(requestsOf(ours[name].requests)),
    count(getsOf(ours[name].requests)),
    naive === undefined ? "" : count(requestsOf(naive[name].requests)),
    megabytes(floor[name].peakBytes),
    megabytes(ours[name].peakBytes),
  ]);
  return { title, head, rows };
}

function waitingTable(results) {
  const waits = results.filter(({ kind }) => kind === "waiting").toSorted((a, b) => a.size - b.size);
  if (waits.length === 0) return [];
  const head = [
    "services",
    "GETs",
    "naive's",
    "up",
    "naive's",
    "ready to done, median",
    "99 %",
    "naive's median",
    "99 %",
  ];
  const rows = waits.map(({ size, subjects: { ours, naive } }) => [
    count(size),
    count(getsOf(ours.up.requests)),
    count(getsOf(naive.up.requests)),
    seconds(ours.up.wallMs),
    seconds(naive.up.wallMs),
    seconds(quantile(ours.up.lateMs, 0.5)),
    seconds(quantile(ours.up.lateMs, 0.99)),
    seconds(quantile(naive.up.lateMs, 0.5)),
    seconds(quantile(naive.up.lateMs, 0.99)),
  ]);
  return [{ title: "Waiting: services that become ready after 2 to 20 s, `--parallel 1000`", head, rows }];
}

function latenessTable(results) {
  const late = results.find(({ kind }) => kind === "lateness");
  if (late === undefined) return [];
  const { lateMs, requests } = late.subjects.ours.up;
  const head = ["ready to done, median", "99 %", "the slowest", "GETs"];
  const row = [quantile(lateMs, 0.5), quantile(lateMs, 0.99), lateMs.at(-1)].map(seconds);
  return [{ title: `Lateness: ${late.title}`, head, rows: [[...row, count(getsOf(requests))]] }];
}

function sizesTable(results, handlers) {
  const largest = largestLife(results);
  const bytes = (subject) => {
    const found = results.find(({ kind, subjects }) => kind === "life" && subjects[subject] !== undefined);
    return found === undefined ? "" : count(Math.round(found.subjects[subject].up.stateBytes));
  };
  const { floor, ours } = handlers;
  const rows = [
    ["state of one service, bytes", bytes("floor"), bytes("ours"), bytes("naive")],
    ["CPU of one check, µs", micro(floor.checkUs), micro(ours.checkUs), ""],
    ["CPU of one diff, µs", micro(floor.diffUs), micro(ours.diffUs), ""],
    ["CPU of one `new Service`, µs (floor: with Pulumi's stack traces)", micro(floor.newUs), micro(ours.newUs), ""],
    ["loading the entry, ms", count(Math.round(floor.loadMs)), count(Math.round(ours.loadMs)), ""],
  ];
  if (largest !== undefined) {
    const { subjects } = largest;
    const peak = (subject) => (subjects[subject] === undefined ? "" : megabytes(peakOf(subjects[subject])));
    rows.push([`peak memory of the provider process, ${largest.title}`, peak("floor"), peak("ours"), peak("naive")]);
  }
  return { title: "Small things", head: ["", "floor", "ours", "naive"], rows };
}

/** The bounds that this package holds itself to, and whether this run kept them. */
export function boundsOf({ results, handlers }) {
  return [
    ...lifeBounds(results, true),
    ...lifeBounds(results, false),
    ...waitBounds(results),
    ...sizeBounds(results, handlers),
  ];
}

function lifeBounds(results, checkpoints) {
  const largest = largestLife(results, checkpoints);
  if (largest === undefined) return [];
  const { floor, ours } = largest.subjects;
  const ratio = (name, most) => {
    const measured = ours[name].wallMs / floor[name].wallMs;
    return bound(`${TITLES[name]}, ${largest.title}: times the floor`, most, measured, times);
  };
  return [
    ...["up", "preview", "destroy"].map((name) => ratio(name, 1.2)),
    ratio("refresh", 1.3),
    bound(`refresh, ${largest.title}: GETs`, 20, getsOf(ours.refresh.requests), count),
  ];
}

function waitBounds(results) {
  const waits = results.filter(({ kind }) => kind === "waiting").toSorted((a, b) => a.size - b.size);
  const late = results.find(({ kind }) => kind === "lateness");
  const gets = ({ subjects }) => getsOf(subjects.ours.up.requests);
  const hundred = waits.find(({ size }) => size === 100);
  const largest = waits.at(-1);
  return [
    ...(largest === undefined ? [] : [bound(`waiting for ${largest.size}: GETs`, 60, gets(largest), count)]),
    ...(hundred === undefined || largest === undefined || hundred === largest
      ? []
      : [bound(`waiting for ${largest.size}: GETs, times those for 100`, 1.5, gets(largest) / gets(hundred), times)]),
    ...(late === undefined ? [] : lateBounds(late.subjects.ours.up.lateMs)),
  ];
}

function lateBounds(lateMs) {
  return [
    bound("ready to done at default settings, median", 600, quantile(lateMs, 0.5), seconds),
    bound("ready to done at default settings, 99 %", 2_000, quantile(lateMs, 0.99), seconds),
    bound("ready to done at default settings, after 5 minutes", 5_000, lateMs.at(-1), seconds),
  ];
}

function sizeBounds(results, { floor, ours }) {
  const largest = largestLife(results);
  const more = largest === undefined ? [] : [peakOf(largest.subjects.ours) - peakOf(largest.subjects.floor)];
  return [
    ...more.map((bytes) => bound(`peak memory above the floor's, ${largest?.title}`, 60 * MB, bytes, megabytes)),
    ...(largest === undefined
      ? []
      : [bound("state of one service, bytes", 2_500, Math.round(largest.subjects.ours.up.stateBytes), count)]),
    bound("loading the entry, ms", 120, Math.round(ours.loadMs - floor.loadMs), count),
  ];
}

function bound(what, most, measured, format) {
  return { what, most: format(most), measured: format(measured), holds: measured <= most };
}

function largestLife(results, checkpoints = true) {
  const lives = results.filter((one) => one.kind === "life" && one.checkpoints === checkpoints);
  return lives.toSorted((a, b) => b.size - a.size)[0];
}

const seconds = (ms) => `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
const times = (ratio) => `${ratio.toFixed(2)} ×`;
const megabytes = (bytes) => `${Math.round(bytes / MB)} MB`;
const micro = (us) => us.toFixed(1);
const count = (number) => number.toLocaleString("en-US");
