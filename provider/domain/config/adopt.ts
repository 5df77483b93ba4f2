// The words of DBCLOUD_ADOPT: `orders=svc123` is `adoptId: "svc123"` of the resource `orders`, for one run. Resources under
// different parents can have one name: the URN stands for the name there. Names can have a "=".

import { ConfigError } from "../errors";
import { show } from "../values/value";

export function idToAdopt(
  words: readonly string[],
  resource: { readonly key: string; readonly name: string } | undefined,
): string | undefined {
  const names = resource === undefined ? [] : [resource.key, resource.name];
  const [id] = names.flatMap((name) =>
    words.filter((word) => word.startsWith(`${name}=`)).map((word) => word.slice(name.length + 1)),
  );
  return id;
}

/** The errors of words that name no resource or no object. */
export function malformedAdoptions(words: readonly string[]): string[] {
  return words
    .filter((word) => !/.=./s.test(word))
    .map(
      (word) =>
        new ConfigError(
          "setting-invalid",
          `environment variable DBCLOUD_ADOPT: given ${show(word)}; allowed: RESOURCE=ID, such as orders=svc1234567`,
          "Correct it in the environment, or unset it.",
        ).fullMessage,
    );
}
