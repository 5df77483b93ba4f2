// docs/page.schema.json: the document that `drift --html` embeds and the console streams, as JSON Schema.

import { z } from "zod";

export function writePageSchema(schema: z.ZodType): string {
  const title = "The document that the page of pulumi-dbcloud draws";
  return `${JSON.stringify({ title, ...z.toJSONSchema(schema) }, undefined, 2)}\n`;
}
