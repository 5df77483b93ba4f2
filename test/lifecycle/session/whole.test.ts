// What a list does not show of an object is read from the object alone, as surely as the list was.

import { expect, test } from "vitest";
import { ApiError } from "../../../provider/domain/errors";
import { whole } from "../../../provider/lifecycle/session/whole";
import { all, asked, failsWith, useSharedReads, view } from "./sharedThings";

useSharedReads();

test("a throttled read of the object alone is repeated, like any other", async () => {
  const throttled = (): Error => new ApiError({ operation: "getThing", status: 429, category: "rate" }, "429");
  failsWith.set("a", [throttled(), throttled()]);
  const reader = whole(view);
  expect(await all(reader.get("a"), reader.get("b"))).toEqual([1, 2]);
  expect(asked).toEqual(["*", "a", "b", "a", "a"]);
});
