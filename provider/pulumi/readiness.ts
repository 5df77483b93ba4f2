// When a look-up may start. It waits for the resources that it depends on, and in a preview it has no answer while one
// of them does not exist yet, however well its arguments are known.

import * as pulumi from "@pulumi/pulumi";

type DependsOn = pulumi.InvokeOutputOptions["dependsOn"];

export interface Ready {
  args: object;
  /** Whether a resource of this run came first: what was asked before it may have another answer since. */
  isLate: boolean;
}

export function whenReady(args: object, dependsOn: DependsOn): pulumi.Output<Ready> {
  const known = pulumi.output(args);
  const implicit = pulumi.output(sourcesOf(known)).apply(idsOf);
  const explicit = pulumi.output(dependsOn).apply((given) => idsOf(given === undefined ? [] : [given].flat()));
  return pulumi
    .all([known, implicit, explicit])
    .apply(([plain, before, after]) => ({ args: plain, isLate: before.length + after.length > 0 }));
}

// Pulumi: every Output knows the resources that it was made from; only the declarations hide it.
async function sourcesOf(output: pulumi.Output<unknown>): Promise<pulumi.Resource[]> {
  const traced = output as pulumi.Output<unknown> & { allResources(): Promise<Set<pulumi.Resource>> };
  return [...(await traced.allResources())];
}

function idsOf(resources: readonly pulumi.Resource[]): pulumi.Output<string[]> {
  return pulumi.all(resources.flatMap(idsWithin));
}

// Pulumi: a component has no id of its own; it is there when its children are, which only the declarations hide.
function idsWithin(resource: pulumi.Resource): pulumi.Output<string>[] {
  if (pulumi.CustomResource.isInstance(resource)) return [resource.id];
  const { __childResources: children = [] } = resource as pulumi.Resource & {
    __childResources?: Iterable<pulumi.Resource>;
  };
  return [resource.urn, ...[...children].flatMap(idsWithin)];
}
