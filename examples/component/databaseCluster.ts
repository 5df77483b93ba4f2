import * as pulumi from "@pulumi/pulumi";
import { ReadReplicaSet, Service, type ServiceArgs } from "pulumi-dbcloud";

export interface DatabaseClusterArgs extends ServiceArgs {
  /** Nodes that only read; none by default. */
  readers?: number;
}

/** A service and its readers. Its children have its provider and its protection, and follow its aliases. */
export class DatabaseCluster extends pulumi.ComponentResource {
  readonly serviceId: pulumi.Output<string>;
  /** To write; a secret. */
  readonly url: pulumi.Output<string>;
  /** To read: of the readers, or of the service where there are none; a secret. */
  readonly readUrl: pulumi.Output<string>;

  constructor(name: string, { readers = 0, ...args }: DatabaseClusterArgs, opts?: pulumi.ComponentResourceOptions) {
    super("examples:index:DatabaseCluster", name, {}, opts);
    const service = new Service(name, args, { parent: this });
    this.serviceId = service.serviceId;
    this.url = service.connectionString();
    this.readUrl = this.url;
    if (readers > 0) {
      const size = { cpuMillis: 500, memoryGbs: 2 };
      const set = new ReadReplicaSet(
        `${name}-readers`,
        { serviceId: service.serviceId, nodes: readers, ...size },
        { parent: this },
      );
      this.readUrl = set.connectionString({ service });
    }
    this.registerOutputs({ serviceId: this.serviceId, url: this.url, readUrl: this.readUrl });
  }
}
