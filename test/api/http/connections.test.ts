// Connections: which are used again, which are new, and the way through a proxy.

import { createServer } from "node:http";
import { expect, onTestFinished, test, vi } from "vitest";
import { chooseProxy, isLoopback } from "../../../provider/api/http/origin";
import { createClient } from "../../../provider/client";
import { API_KEY, openClient, failureOf, inProject, ofService } from "../../support/client";
import { listen } from "../../support/scriptedServer";
import { answering } from "./transportFixture";
import { textWith } from "../../support/matchers";

test("connections are reused for reads, and separate ones for changes", async () => {
  const { client, server } = await openClient([{ json: [] }]);
  for (let i = 0; i < 5; i += 1) await client.services.list(inProject);
  const forReads = server.connections;
  expect(forReads).toBeLessThan(3);
  for (let i = 0; i < 5; i += 1) await client.services.enablePooler(ofService);
  expect(server.connections).toBeGreaterThan(forReads);
  expect(server.connections).toBeLessThan(forReads + 3);
});

test("connections are new for a change once they have been idle", async () => {
  const { ask, connections } = await answering({ json: [] });
  const inAWhile = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));
  for (let change = 1; change <= 3; change += 1) {
    await ask({ freshConnection: true });
    await inAWhile();
  }
  expect(connections()).toBe(3);
  await ask();
  await inAWhile();
  await ask();
  expect(connections()).toBe(4);
});

test("connections that are idle keep no process alive", async () => {
  const sockets = (): number => process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;
  await vi.waitUntil(() => sockets() === 0);
  const { ask, connections } = await answering({ json: [] });
  await ask();
  await new Promise(setImmediate);
  expect(connections()).toBe(1);
  // The server's own end is in this process too.
  expect(sockets()).toBe(1);
});

test("proxies are chosen by scheme and never for this machine", () => {
  const environment = { HTTPS_PROXY: "http://a:1", http_proxy: "http://b:2", HTTP_PROXY: "", no_proxy: "x" };
  expect(chooseProxy(new URL("https://db.example/v1"), environment)).toMatchObject({
    proxy: "http://a:1",
    noProxy: "x",
  });
  expect(chooseProxy(new URL("http://db.example/v1"), environment)).toMatchObject({
    proxy: "http://b:2",
    noProxy: "x",
  });
  expect(chooseProxy(new URL("https://db.example/v1"), { HTTP_PROXY: "http://b:2" })).toBeUndefined();
  for (const host of ["127.0.0.1", "127.9.9.9", "[::1]", "localhost"]) {
    expect(chooseProxy(new URL(`https://${host}/v1`), environment)).toBeUndefined();
    expect(isLoopback(new URL(`http://${host}/`))).toBe(true);
  }
  // A name below `localhost`, or one with a closing dot, is whatever DNS says it is.
  const strangers = ["api.localhost", "localhost.", "[::ffff:127.0.0.1]"];
  for (const host of [...strangers, "0.0.0.0", "10.0.0.1", "127.0.0.1.example", "localhost.example", "[::2]"]) {
    expect(isLoopback(new URL(`http://${host}/`))).toBe(false);
  }
});

test("proxies do not carry what goes to a network that NO_PROXY names, as Pulumi's CLI reads it", () => {
  const choose = (host: string, NO_PROXY: string): unknown =>
    chooseProxy(new URL(`http://${host}/v1`), { HTTP_PROXY: "http://b:2", NO_PROXY });
  for (const [host, noProxy] of [
    ["10.1.2.3", "10.0.0.0/8"],
    ["10.1.2.3:8080", "x, 192.168.0.0/16 10.0.0.0/8,y"],
    ["[fd00::7]", "fd00::/8"],
  ] as const) {
    expect(choose(host, noProxy)).toBeUndefined();
  }
  for (const [host, noProxy] of [
    ["11.1.2.3", "10.0.0.0/8"],
    ["ten.example", "10.0.0.0/8"],
    ["[fd00::7]", "10.0.0.0/8"],
    ["10.1.2.3", "10.0.0.0/33,10.0.0.0/,/8,http://10.0.0.0/8x"],
  ] as const) {
    expect(choose(host, noProxy)).toMatchObject({ proxy: "http://b:2" });
  }
});

const throughProxy = (proxy: string, baseUrl: string, noProxy = ""): ReturnType<typeof createClient> => {
  const environment = { HTTPS_PROXY: proxy, HTTP_PROXY: proxy, NO_PROXY: noProxy };
  const client = createClient({ baseUrl, apiKey: API_KEY, allowInsecure: true, environment });
  onTestFinished(() => client.close());
  return client;
};

test("proxies carry requests, unless NO_PROXY says otherwise", async () => {
  const { server: proxy } = await openClient([{ json: [] }]);
  const { server: target } = await openClient([{ json: [] }]);
  const away = `http://0.0.0.0:${target.port}/v1`;
  await throughProxy(`http://127.0.0.1:${proxy.port}`, away).projects.list();
  expect([proxy.asked[0]?.url, target.asked.length]).toEqual([`${away}/projects`, 0]);
  await throughProxy(`http://127.0.0.1:${proxy.port}`, away, "other,0.0.0.0").projects.list();
  expect([proxy.asked.length, target.asked.length]).toEqual([1, 1]);
  await throughProxy(`http://127.0.0.1:${proxy.port}`, away, "0.0.0.0/31").projects.list();
  expect([proxy.asked.length, target.asked.length]).toEqual([1, 2]);
  // Without a scheme, as Pulumi's own programs take it.
  await throughProxy(`localhost:${proxy.port}`, away).projects.list();
  expect([proxy.asked.length, target.asked.length]).toEqual([2, 2]);
});

test("proxies that refuse: not sent, final, and their credentials stay out of sight", async () => {
  const seen: (string | undefined)[] = [];
  const proxy = createServer().on("connect", (request, socket) => {
    seen.push(request.url, request.headers["proxy-authorization"], request.headers.authorization);
    socket.end("HTTP/1.1 407 Nope\r\n\r\n");
  });
  const port = await listen(proxy);
  onTestFinished(() => void proxy.close());
  const client = throughProxy(`http://user:pr0xy-pass@127.0.0.1:${port}`, "https://db.example/v1");
  const error = await failureOf(client.services.create({ ...inProject, name: "orders" }));
  expect(error).toMatchObject({ code: "TRANSPORT", sent: "no", message: textWith("407") });
  expect(JSON.stringify(error)).not.toContain("pr0xy-pass");
  const basic = `Basic ${Buffer.from("user:pr0xy-pass").toString("base64")}`;
  expect(seen).toEqual(["db.example:443", basic, undefined]);
});

test("proxies that cannot be reached are named, without credentials", async () => {
  const dead = "http://user:pr0xy-pass@127.0.0.1:9";
  const error = await failureOf(throughProxy(dead, "https://db.example/v1").projects.list({ attempts: "once" }));
  expect(error).toMatchObject({ hint: textWith("The proxy of HTTPS_PROXY (127.0.0.1:9)") });
  expect(JSON.stringify(error)).not.toContain("pr0xy-pass");
});
