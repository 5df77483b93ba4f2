// The shortest story that still ends badly in the same way: acts are left out as long as that makes no difference.

import type { Breach } from "./judge";
import { tell, type Outline, type Telling } from "./story";

export async function shrink(
  outline: Outline,
  breach: Breach,
  telling: (outline: Outline) => Promise<Telling> = tell,
): Promise<{ outline: Outline; telling: Telling }> {
  let shortest = { outline, telling: await telling(outline) };
  for (let index = outline.acts.length - 1; index >= 0; index -= 1) {
    const acts = shortest.outline.acts.filter((_, at) => at !== index);
    const shorter = { ...outline, acts };
    const told = await telling(shorter);
    if (told.violations.some((violation) => violation.breach === breach))
      shortest = { outline: shorter, telling: told };
  }
  return shortest;
}
