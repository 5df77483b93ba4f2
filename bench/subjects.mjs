// What is measured: one program, three kinds of service. The floor is the engine alone, ours is this package, the naive
// one is what people write without it.

import { fileURLToPath } from "node:url";
import { Service } from "pulumi-dbcloud";
import { FloorService } from "./floor/service.mjs";
import { NaiveService } from "./naive/service.cjs";

const small = { cpuMillis: 500, memoryGbs: 2 };
const large = { cpuMillis: 1000, memoryGbs: 4 };

/** The inputs of one service; `isLarge` is the update of all. */
function argsOf(isLarge) {
  return { regionCode: "us-east-1", addons: ["time-series"], environment: "DEV", ...(isLarge ? large : small) };
}

function programOf(Kind) {
  return (count, isLarge) => async () => {
    const services = [];
    for (let index = 0; index < count; index++) services.push(new Kind(`service${index}`, argsOf(isLarge)));
  };
}

export const subjects = {
  floor: { title: "engine floor", program: programOf(FloorService) },
  ours: { title: "pulumi-dbcloud", program: programOf(Service) },
  naive: { title: "naive", program: programOf(NaiveService) },
};

export const floorPath = fileURLToPath(new URL("floor/handlers.cjs", import.meta.url));
