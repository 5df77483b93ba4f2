// The changes of an operator in the vendor's console, outside Pulumi.
import type { Emulator } from "pulumi-dbcloud/emulator";

/** Makes the changes; returns one line for each. */
export function changeByHand(emulator: Emulator): string[] {
  const { mutate } = emulator;
  const { vpcs, services, replicaSets } = emulator.state();
  const shop = vpcs.find(({ name }) => name === "shop-normal");
  const orders = services.find(({ name }) => name === "orders-normal");
  const rehearsal = services.find(({ name }) => name !== "orders-normal");
  const [reports] = replicaSets;
  if (shop === undefined || orders === undefined || rehearsal === undefined || reports === undefined) {
    throw new Error("the demo's objects are not on the server");
  }
  mutate.vpc(shop.id, { name: "do-not-touch" });
  mutate.service(orders.id, { cpuMillis: 500, memoryGbs: 2, replicaCount: 0, poolerEnabled: false, vpcId: undefined });
  mutate.service(rehearsal.id, { paused: false });
  mutate.replicaSet(reports.id, { cpuMillis: 250, memoryGbs: 1 });
  return [
    "the shop's VPC is renamed to do-not-touch",
    "the orders are resized to 500 millicores and 2 GB, lose standby and pooler, and leave the VPC",
    "the rehearsal, which was paused, is started",
    "the read replicas are resized to 250 millicores and 1 GB",
  ];
}
