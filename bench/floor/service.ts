// The engine's floor: this package's own class, whose constant line loads handlers that do nothing. The path is in the
// environment, so that the line does not depend on the machine.

import { Service, type ServiceArgs } from "pulumi-dbcloud";

const LINE = "exports.handler = () => require(process.env.DBCLOUD_BENCH_FLOOR).provider();";

export class FloorService extends Service {
  constructor(name: string, args: ServiceArgs) {
    super(name, args, {
      transformations: [({ props, opts }) => ({ props: { ...(props as object), __provider: LINE }, opts })],
    });
  }
}
