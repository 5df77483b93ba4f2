// The engine's floor: the very class of this package, whose constant line finds handlers that do nothing. The path is in
// the environment, so that the line says nothing of the machine.

import { Service } from "pulumi-dbcloud";

const LINE = "exports.handler = () => require(process.env.DBCLOUD_BENCH_FLOOR).provider();";

export class FloorService extends Service {
  constructor(name, args) {
    super(name, args, { transformations: [({ props, opts }) => ({ props: { ...props, __provider: LINE }, opts })] });
  }
}
