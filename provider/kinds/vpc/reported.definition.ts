// What a read of a VPC tells the core.

import type { ShownInputs } from "../../domain/fields";
import { isWhole } from "../../domain/listed";
import { show, withoutUndefined } from "../../domain/values/value";
import { reportedBy } from "../../core/definitionHelpers";
import type { Scope } from "../../core/kind";
import type { Reported } from "../../core/reported";
import type { Reader, Session } from "../../core/session";
import { conditionOfVpc, type Vpc, type vpcFields, type VpcInputs } from "./inputs";

export function vpcsOf(session: Session, scope: Scope): Reader<Reported> {
  return reportedBy(session.vpcs(scope.projectId), (item) => reportedVpc(item, scope));
}

export function reportedVpc(item: Vpc, { projectId }: Scope): Reported {
  const { vpcId: id, name, cidr, regionCode, status } = item;
  const shown: ShownInputs<VpcInputs, typeof vpcFields> = { cidr, name, regionCode, projectId };
  return {
    id,
    name,
    status: status ?? "CREATED",
    condition: conditionOfVpc(item),
    showsCondition: status !== undefined,
    isWhole: isWhole(item),
    live: () => withoutUndefined(shown),
    outputs: () => ({ status }),
    describe: () => `VPC ${show(name)} (${id}, ${cidr}, ${regionCode}${status ? `, ${status}` : ""})`,
  };
}
