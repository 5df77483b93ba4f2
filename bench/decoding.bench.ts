// Decoding: from the text of a list to domain objects. The baseline is `JSON.parse` of the same text, so that the bound
// holds on any machine.

import { expect, test } from "vitest";
import { decode, listText } from "./samples.ts";

test("decoding a list of services", async ({ bench }) => {
  const hundred = listText(100);
  const thousand = listText(1_000);
  const results = await bench.compare(
    bench("JSON.parse of 1,000", () => {
      JSON.parse(thousand);
    }),
    bench("100 services", () => {
      decode(hundred);
    }),
    bench("1,000 services", () => {
      decode(thousand);
    }),
    { time: 500 },
  );
  const bestOf = (name: "JSON.parse of 1,000" | "100 services" | "1,000 services"): number =>
    results.get(name).latency.min;
  expect(bestOf("1,000 services")).toBeLessThan(6 * bestOf("JSON.parse of 1,000"));
  expect(bestOf("1,000 services")).toBeLessThan(20 * bestOf("100 services"));
});
