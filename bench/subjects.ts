// The subjects: one program with two service classes. The floor is the engine alone, with a plain class and handlers that do
// nothing: nothing of this package is in it, so two revisions have the same floor. `ours` is this package.

import { fileURLToPath } from "node:url";
import { Service, type ServiceArgs } from "pulumi-dbcloud";
import plain from "./program/plain.cjs";
import type { SubjectName } from "./model.ts";

type Program = () => Promise<void>;
type ServiceClass = new (name: string, args: ServiceArgs) => object;

const small = { cpuMillis: 500, memoryGbs: 2 };
const large = { cpuMillis: 1000, memoryGbs: 4 };

/** The inputs of one service; `isLarge` is the update of all. */
function argsOf(name: string, isLarge: boolean): ServiceArgs {
  return { name, regionCode: "us-east-1", addons: ["time-series"], environment: "DEV", ...(isLarge ? large : small) };
}

const classes: Readonly<Record<SubjectName, ServiceClass>> = {
  floor: plain.Service,
  ours: Service,
};

/** The program of a subject with this many services. */
export function programOf(subject: SubjectName, count: number, isLarge: boolean): Program {
  const Kind = classes[subject];
  return () => {
    const services: object[] = [];
    const names = Array.from({ length: count }, (_, index) => `service${index}`);
    for (const name of names) services.push(new Kind(name, argsOf(name, isLarge)));
    return Promise.resolve();
  };
}

export const floorPath = fileURLToPath(new URL("floor/handlers.cjs", import.meta.url));
