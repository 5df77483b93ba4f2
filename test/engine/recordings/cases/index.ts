import type { Case } from "../case";
import { destroys } from "./destroys";
import { options } from "./options";
import { pending } from "./pending";
import { programs } from "./programs";
import { providers } from "./providers";
import { deletedFirst } from "./deletedFirst";
import { replacements } from "./replacements";
import { stateEdits } from "./stateEdits";
import { targets } from "./targets";

export const cases: readonly Case[] = [
  ...programs,
  ...replacements,
  ...deletedFirst,
  ...pending,
  ...targets,
  ...destroys,
  ...options,
  ...stateEdits,
  ...providers,
].flat();
