// What somebody can do by hand to each kind of object, as a request of the admin API; and the lines that do the same in a
// test and in a shell.

import type { PageObject } from "./schema";

export interface Call {
  readonly method: "POST" | "PATCH" | "DELETE";
  /** Below the admin URL. */
  readonly path: string;
  readonly body?: object;
  /** In a test that has the emulator. */
  readonly typescript: string;
}

const MUTATIONS: Readonly<Record<PageObject["kind"], string>> = {
  Vpc: "vpc",
  Peering: "peering",
  Service: "service",
  ReadReplicaSet: "replicaSet",
};

export function changeByHand({ kind, id }: PageObject, body: object): Call {
  const name = MUTATIONS[kind];
  return {
    method: "PATCH",
    path: `/${name}s/${encodeURIComponent(id)}`,
    body,
    typescript: `emulator.mutate.${name}(${JSON.stringify(id)}, ${literal(body)});`,
  };
}

export function deleteByHand({ kind, id }: PageObject): Call {
  const name = MUTATIONS[kind];
  const method = `delete${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return {
    method: "DELETE",
    path: `/${name}s/${encodeURIComponent(id)}`,
    typescript: `emulator.mutate.${method}(${JSON.stringify(id)});`,
  };
}

export const addFault = (fault: object): Call => ({
  method: "POST",
  path: "/faults",
  body: fault,
  typescript: `emulator.faults.add(${literal(fault)});`,
});

export const removeFault = (id: string): Call => ({
  method: "DELETE",
  path: `/faults/${encodeURIComponent(id)}`,
  typescript: `emulator.faults.remove(${JSON.stringify(id)});`,
});

export const clock = (what: "freeze" | "resume"): Call => ({
  method: "POST",
  path: `/clock/${what}`,
  typescript: `emulator.clock.${what}();`,
});

export const advanceClock = (ms: number): Call => ({
  method: "POST",
  path: "/clock/advance",
  body: { ms },
  typescript: `emulator.clock.advance(${ms});`,
});

/** With the variables that the emulator prints. */
export function curlOf({ method, path, body }: Call): string {
  const isPlain = /^[\w/.%-]+$/.test(path);
  const words = [
    `curl -X ${method} "$DBCLOUD_EMULATOR_ADMIN_URL${isPlain ? path : ""}"${isPlain ? "" : shellWord(path)}`,
    '-H "Authorization: Bearer $DBCLOUD_EMULATOR_ADMIN_KEY"',
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${shellWord(JSON.stringify(body))}`]),
  ];
  return words.join(" ");
}

const shellWord = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** JSON has null where the functions take `undefined`. */
function literal(body: object): string {
  const members = Object.entries(body).map(
    ([name, value]) => `${name}: ${value === null ? "undefined" : JSON.stringify(value)}`,
  );
  return `{ ${members.join(", ")} }`;
}
