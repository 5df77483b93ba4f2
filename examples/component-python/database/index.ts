import * as pulumi from "@pulumi/pulumi";
import { Service } from "pulumi-dbcloud/native";

export interface DatabaseArgs {
  cpuMillis: pulumi.Input<number>;
}

/** A database whose memory follows its CPU. */
export class Database extends pulumi.ComponentResource {
  /** A secret in every language. */
  readonly url: pulumi.Output<string>;

  constructor(name: string, args: DatabaseArgs, opts?: pulumi.ComponentResourceOptions) {
    super("shop:index:Database", name, {}, opts);
    const { cpuMillis } = args;
    const memoryGbs = pulumi.output(cpuMillis).apply((cpu) => cpu / 250);
    const service = new Service(name, { regionCode: "us-east-1", cpuMillis, memoryGbs }, { parent: this });
    this.url = service.connectionString();
    this.registerOutputs({ url: this.url });
  }
}
