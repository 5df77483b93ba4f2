// The provider processes of one run, simulated within the test: each hears what the others have announced.

import type { Claim, OtherProcesses } from "../../provider/lifecycle/view/runView";

export function createRunBus(): { join(): OtherProcesses } {
  const claims: { by: symbol; object: string; claim: Claim }[] = [];
  return {
    join() {
      const own = Symbol("process");
      return {
        announce: (object, claim) => claims.push({ by: own, object, claim }) > 0,
        claimOn: (object) => claims.findLast((one) => one.by !== own && one.object === object)?.claim,
      };
    },
  };
}
