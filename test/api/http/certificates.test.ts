// Which certificates are trusted, and what is said of one that is not: what helps depends on what is wrong with it.

import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:https";
import { connect } from "node:net";
import path from "node:path";
import type { Duplex } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { makeCertificate } from "../../../emulator/databases/server/certificates";
import { type Client, createClient } from "../../../provider/client";
import type { ProcessEnvironment } from "../../../provider/domain/config/config";
import { API_KEY, failureOf, inProject } from "../../support/client";
import { temporaryFolder, writeFiles } from "../../support/folder";
import { textLike } from "../../support/matchers";
import { listen } from "../../support/scriptedServer";

const YEARS_MS = 20 * 365 * 24 * 60 * 60 * 1_000;

interface Scene {
  port: number;
  /** The file of what has signed the server's certificate, which is itself. */
  caFile: string;
  open: (host: string, environment?: ProcessEnvironment) => Client;
}

async function serve(now = Date.now()): Promise<Scene> {
  const { certificate, key } = makeCertificate(now);
  const server = createServer({ cert: certificate, key }, (_request, response) => void response.end("[]"));
  const port = await listen(server);
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const folder = temporaryFolder();
  writeFiles(folder, { "ca.pem": certificate });
  const open = (host: string, environment: ProcessEnvironment = {}): Client => {
    const client = createClient({ baseUrl: `https://${host}:${port}/v1`, apiKey: API_KEY, environment });
    onTestFinished(() => client.close());
    return client;
  };
  return { port, caFile: path.join(folder, "ca.pem"), open };
}

test("the certificates in the file of SSL_CERT_FILE are trusted, besides those of Node.js", async () => {
  const { open, caFile } = await serve();
  expect(await open("127.0.0.1", { SSL_CERT_FILE: caFile }).services.list(inProject)).toEqual([]);
});

test("a file of SSL_CERT_FILE that is missing, or no certificate, changes nothing", async () => {
  const { open, caFile } = await serve();
  for (const file of [`${caFile}.missing`, __filename]) {
    const error = await failureOf(open("127.0.0.1", { SSL_CERT_FILE: file }).services.list(inProject));
    expect(error).toMatchObject({ sent: "no", message: textLike(/the issuer of the certificate is not trusted/) });
  }
});

test("SSL_CERT_FILE holds through a proxy as well", async () => {
  const { open, caFile, port } = await serve();
  const sockets: Duplex[] = [];
  const proxy = createHttpServer().on("connect", (_request, socket) => {
    const target = connect(port, "127.0.0.1", () => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
    target.pipe(socket).pipe(target);
    for (const one of [target, socket]) {
      one.on("error", () => undefined);
      sockets.push(one);
    }
  });
  const HTTPS_PROXY = `http://127.0.0.1:${await listen(proxy)}`;
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
    proxy.closeAllConnections();
    await once(proxy, "close");
  });
  const host = "api.dbcloud.example";
  expect(await open(host, { HTTPS_PROXY, SSL_CERT_FILE: caFile }).services.list(inProject)).toEqual([]);
  expect(await failureOf(open(host, { HTTPS_PROXY }).services.list(inProject))).toMatchObject({ sent: "no" });
});

test.each([
  ["has expired", Date.now() - YEARS_MS, "127.0.0.1", /^Renew it\. .*clock/],
  ["is not valid yet", Date.now() + YEARS_MS, "127.0.0.1", /^Correct the clock/],
  ["is for another name", Date.now(), "0.0.0.0", /^Check the base URL .*: its host is not in the certificate/],
])("a certificate that %s is told of as such, with what helps then", async (words, now, host, hint) => {
  const { open, caFile } = await serve(now);
  const error = await failureOf(open(host, { SSL_CERT_FILE: caFile }).services.list(inProject));
  expect(error).toMatchObject({
    code: "TRANSPORT",
    sent: "no",
    message: textLike(new RegExp(`the certificate ${words}`)),
  });
  expect(error).toMatchObject({ hint: textLike(hint) });
});

test("a certificate of an unknown issuer names the two variables that take its authority", async () => {
  const { open } = await serve();
  expect(await failureOf(open("127.0.0.1").services.list(inProject))).toMatchObject({
    message: textLike(/the issuer of the certificate is not trusted/),
    hint: textLike(/NODE_EXTRA_CA_CERTS or SSL_CERT_FILE/),
  });
});
