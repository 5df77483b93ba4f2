// The answer of changes that return the Service: as a reader sees it at that moment, so possibly still the old one.

import type { Answer, Context } from "./action";
import type { Found } from "./lookups";
import { seeAnswered } from "./views";
import { serviceWire } from "./wire";
import type { Service, ServiceBody } from "./entities";

export function serviceAnswer(context: Context, { entity, body }: Found<Service, ServiceBody>, status: number): Answer {
  const shown = seeAnswered(entity, context.now) ?? body;
  return { status, body: serviceWire(context.world, entity, shown, context.now) };
}
