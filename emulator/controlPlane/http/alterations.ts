// Faults that change what a successful answer shows: members that are left out or zero, objects that are not shown, and
// lists that are cut.

import { notFound, type Failure } from "../actions/failure";
import { kindNames, rowOf } from "../world/kinds";
import type { Reply } from "./delivery";
import { isList, isReadInProject } from "./faultRules";
import type { FaultBeside, MemberForm } from "./faults";
import type { RequestRecord } from "./requests";

type ShownBody = Record<string, unknown>;

/** The reply as the faults alter it. A function as its text is altered when it is sent. */
export function altered(reply: Reply, record: RequestRecord, faults: readonly FaultBeside[]): Reply | Failure {
  const hiding = faults.filter((fault) => fault.kind === "brownout");
  const members = faults.filter((fault) => fault.kind === "members");
  const cut = faults.find((fault) => fault.kind === "cut");
  if (reply.status >= 300 || (hiding.length + members.length === 0 && !cut)) return reply;
  const { params } = record;
  const parts = Object.keys(params).filter((name) => name !== "project_id");
  const own = parts.at(-1);
  const isHidden = (id: unknown): boolean => hiding.some(({ ids }) => ids === undefined || ids.includes(String(id)));
  const kind = isReadInProject(record) ? (isList(record) ? "lists" : "reads") : undefined;
  const shownOf = (objects: readonly unknown[]) => objects.filter((object) => !isHidden(idOf(object as ShownBody)));
  if (!isList(record) && own !== undefined && parts.some((part) => isHidden(params[part])))
    return notFound(kindNames.find((one) => rowOf(one).parameter === own) ?? "service");
  const show = (object: ShownBody): void => {
    const sets = object["read_replica_sets"];
    if (Array.isArray(sets)) object["read_replica_sets"] = shownOf(sets);
    const status = String(object["status"]);
    for (const { members: forms, in: where, ids, status: only } of members) {
      if (where !== undefined && where !== kind) continue;
      if (ids?.includes(idOf(object)) === false || (only !== undefined && only !== status)) continue;
      for (const [path, form] of Object.entries(forms)) setMember(object, path.split("."), form);
    }
  };
  const text = (): string => {
    const body: unknown = JSON.parse(textOf(reply) || "null");
    const all = Array.isArray(body) ? shownOf(body) : body;
    const shown = cut && Array.isArray(all) ? all.slice(0, cut.rows) : all;
    for (const object of [shown].flat()) if (isObject(object)) show(object);
    return JSON.stringify(cut?.next === "member" ? { items: shown, next: nextPage } : shown);
  };
  if (reply.text === undefined) return reply;
  const headers = cut?.next === "header" ? { ...reply.headers, Link: `<${nextPage}>; rel="next"` } : reply.headers;
  return { ...reply, headers, text: typeof reply.text === "function" ? text : text() };
}

/** Where the rest of a list is, seen from the list. */
const nextPage = "?page=2";

const textOf = ({ text = "" }: Reply): string => (typeof text === "function" ? text() : text);

const idOf = (object: ShownBody): string => String(object["service_id"] ?? object["id"]);

const isObject = (value: unknown): value is ShownBody => typeof value === "object" && value !== null;

function setMember(object: ShownBody, [name = "", ...rest]: readonly string[], form: MemberForm): void {
  const value = object[name];
  if (rest.length > 0) {
    for (const inner of [value].flat()) if (isObject(inner)) setMember(inner, rest, form);
  } else if (form === "absent") delete object[name];
  else if (typeof form === "object") object[name] = form.value;
  else object[name] = form === "null" ? null : zeroOf(name, value);
}

/** By its value, or by its name where the answer does not show one. */
function zeroOf(name: string, value: unknown): unknown {
  if (Array.isArray(value) || /^(resources|read_replica_sets)$/.test(name)) return [];
  if (typeof value === "number" || /^(port|nodes|.*_count|.*_(millis|gbs|mb))$/.test(name)) return 0;
  if (typeof value === "boolean") return false;
  if (
    typeof value === "string" ||
    /^(status|created|environment|volume_type|.*_(id|message|cursor|code|password))$/.test(name)
  )
    return "";
  return {};
}
