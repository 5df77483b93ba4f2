// A proxy that answers in place of the API: a refresh forgets nothing, a destroy deletes nothing and is not done, and the
// error says what is odd.

import { expect, test } from "vitest";
import type { Reply } from "../../support/scriptedServer";
import { settings, world } from "../scene";
import { answering, kept, refusal, unlike, useWrongPlaces } from "./wrongPlaces";

useWrongPlaces();

const page = "<!DOCTYPE html><html><body>Not found</body></html>";
const html = { "content-type": "text/html" };
const notFound = (message: string): Reply => ({ status: 404, json: { code: "NOT_FOUND", message } });

/** What answers there, and what the error must say. */
const PROXIES: [string, Reply, RegExp][] = [
  ["404 with a page", { status: 404, text: page, headers: html }, /404 an HTML page.*check dbcloud:baseUrl/s],
  ["404 with nothing", { status: 404 }, /404 .*check dbcloud:baseUrl/s],
  ["404 in JSON", notFound("no such thing"), /no such thing.*Check the project id/s],
  ["404 in the API's words", notFound("no service with that id exists"), /no service with .*Check the project id/s],
  ["410", { status: 410, json: { message: "gone for good" } }, /410 gone for good/],
  ["405", { status: 405, json: { message: "not allowed here" } }, /405/],
  ["200 with a page", { text: page, headers: html }, /not what the contract says.*check dbcloud:baseUrl/s],
  ["200 with {}", { json: {} }, /not what the contract says.*check dbcloud:baseUrl/s],
  ["200 with []", { json: [] }, /not what the contract says.*check dbcloud:baseUrl/s],
  ["204", { status: 204 }, /not what the contract says.*check dbcloud:baseUrl/s],
  ["500", { status: 500, json: { message: "out of order" } }, /500 out of order/],
  ["503", { status: 503, text: "" }, /503/],
  ["redirects", { status: 302, headers: { location: "https://login.example.org/" } }, /redirects to .*login\.example/],
];

test.each(PROXIES)(
  "something that answers %s in place of the API makes a refresh forget, a destroy or update do, a create make nothing",
  { timeout: 240_000 },
  async (_, reply, words) => {
    const { baseUrl } = await answering(reply);
    const there = world.elsewhere(settings({ baseUrl }));
    expect(await unlike(there, words)).toEqual([]);
    const args = { name: "orders", environment: "DEV", poolerEnabled: true };
    expect(await refusal(there.service.update(kept.service, args))).toMatch(words);
    expect(await refusal(there.service.create({ name: "new" }))).not.toMatch(/^it worked/);
    expect(world.calls()).toEqual([]);
  },
);
