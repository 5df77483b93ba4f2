// GET …/services/{service_id}

import { action } from "../action";
import { notFound } from "../failure";
import { serviceOfPath } from "../lookups";
import * as paths from "../paths";
import { seeById } from "../views";
import { serviceText } from "../written";

export const getService = action({
  operation: "getService",
  method: "GET",
  path: paths.service,
  run(context) {
    const { world, now } = context;
    const service = serviceOfPath(context);
    const body = seeById(service, now);
    if (!body) throw notFound("service");
    if (service.endpointGapReads > 0) {
      // API: for a moment after a VPC change the control plane cannot find the endpoint; the service is fine.
      service.endpointGapReads -= 1;
      throw notFound("endpoint");
    }
    return { status: 200, text: serviceText(world, service, body, now) };
  },
});
