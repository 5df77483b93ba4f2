// What somebody does in the vendor's console while Pulumi is not looking: done at once, and told in one line each.

/** Does it, and answers the lines. */
export function mischief({ mutate, state }) {
  const { vpcs, services, replicaSets } = state();
  const shop = vpcs.find(({ name }) => name === "shop-calm");
  const orders = services.find(({ name }) => name === "orders-calm");
  const rehearsal = services.find(({ id }) => id !== orders.id);
  const [reports] = replicaSets;

  mutate.vpc(shop.id, { name: "do-not-touch" });
  mutate.service(orders.id, { cpuMillis: 500, memoryGbs: 2, replicaCount: 0, poolerEnabled: false, vpcId: undefined });
  mutate.service(rehearsal.id, { paused: false });
  mutate.replicaSet(reports.id, { cpuMillis: 250, memoryGbs: 1 });
  return [
    "the shop's network is called do-not-touch now",
    "the orders are halved to 500 millicores and 2 GB, lose their standby and their pooler, and leave the network",
    "the rehearsal, which was asleep, is running and costs money",
    "the read replicas are halved to 250 millicores and 1 GB",
  ];
}
