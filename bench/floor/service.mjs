// The engine's floor: a class of the same shape as ours, with the same inputs, whose constant line finds handlers that do
// nothing. The path is in the environment, so that the line is as long as ours and says nothing of the machine.

import pulumi from "@pulumi/pulumi";

const LINE = "exports.handler = () => require(process.env.DBCLOUD_BENCH_FLOOR).provider();";

export class FloorService extends pulumi.CustomResource {
  constructor(name, args) {
    super("pulumi-nodejs:dynamic/bench:Floor", name, { ...args, name: `${name}-bench`, __provider: LINE }, {});
  }
}
