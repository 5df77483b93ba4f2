// The transport: every way an exchange can fail, whether the request can have arrived, and the limits of time and size.

import { createServer as createTcpServer, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { ExchangeFailure } from "../../../provider/api/http/exchange";
import { describeFailure } from "../../../provider/api/http/transport";
import { listen, type Reply, startScriptedServer } from "../../support/scriptedServer";
import { failureOf } from "../../support/client";
import { answering, wireTo } from "./transportFixture";

const MORE = "x".repeat(512);

/** Writes for ever, until the other side hangs up. */
const endless =
  (status: number): Reply =>
  (response) => {
    response.writeHead(status);
    const more = (): void => {
      if (!response.destroyed) response.write(MORE, () => setImmediate(more));
    };
    more();
  };

/** A few bytes now and then, for ever. */
const dripping =
  (status: number): Reply =>
  (response) => {
    response.writeHead(status);
    const timer = setInterval(() => response.write("."), 3);
    response.once("close", () => clearInterval(timer));
  };

/** A transport to a server of bare sockets, which acts on the first bytes. */
async function socketsThat(act: (socket: Socket) => void): Promise<ReturnType<typeof wireTo>> {
  const server = createTcpServer((socket: Socket) => socket.once("data", () => act(socket)));
  onTestFinished(() => void server.close());
  return wireTo(`http://127.0.0.1:${await listen(server)}`);
}

test("nobody there: not sent", async () => {
  const { ask, release } = await answering({});
  await release();
  expect(await failureOf(ask())).toMatchObject({ sent: "no", passing: true, systemCode: "ECONNREFUSED" });
  expect(await failureOf(ask({ freshConnection: true }))).toMatchObject({ sent: "no", passing: true });
});

test("https to somebody who does not speak it: not sent, and final", async () => {
  const server = await startScriptedServer({});
  onTestFinished(() => server.close());
  const { ask } = wireTo(`https://127.0.0.1:${server.port}/v1`);
  expect(await failureOf(ask())).toMatchObject({ sent: "no", passing: false });
  expect(server.asked).toHaveLength(0);
});

test.each<[string, (socket: Socket) => void, object]>([
  ["ends", (socket) => void socket.end(), { timeout: false }],
  ["is reset", (socket) => void socket.resetAndDestroy(), { systemCode: "ECONNRESET" }],
])("a connection that %s before the answer: maybe sent", async (_, act, facts) => {
  const { ask } = await socketsThat(act);
  expect(await failureOf(ask())).toMatchObject({ sent: "maybe", passing: true, ...facts });
});

test("something that is not HTTP: maybe sent, and its bytes are not kept", async () => {
  const { ask } = await socketsThat((socket) => void socket.end("SECRET banner\r\n\r\n"));
  const failure = await failureOf(ask());
  expect(failure).toMatchObject({ sent: "maybe" });
  expect(JSON.stringify(failure) + String(failure)).not.toContain("SECRET");
});

test("a closed transport: not sent, and final", async () => {
  const { ask, transport } = await answering({});
  await ask();
  await transport.close();
  expect(await failureOf(ask())).toMatchObject({ sent: "no", passing: false });
});

test.each([
  ["ENOTFOUND", "no", true],
  ["EAI_AGAIN", "no", true],
  ["UND_ERR_CONNECT_TIMEOUT", "no", true],
  ["UND_ERR_PRX_CONN", "no", true],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "no", false],
  ["CERT_HAS_EXPIRED", "no", false],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "no", false],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "no", false],
  ["ERR_SSL_SSLV3_ALERT_BAD_RECORD_MAC", "maybe", true],
  ["ECONNRESET", "maybe", true],
  ["EPIPE", "maybe", true],
  ["ETIMEDOUT", "maybe", true],
  ["UND_ERR_SOCKET", "maybe", true],
  ["UND_ERR_HEADERS_TIMEOUT", "maybe", true],
  ["UND_ERR_BODY_TIMEOUT", "maybe", true],
  ["HPE_INVALID_CONSTANT", "maybe", true],
] as const)("%s: sent %s, passing %s", (code, sent, passing) => {
  const error = Object.assign(new Error("secret words"), { code });
  const failure = describeFailure(error, false);
  expect(failure).toMatchObject({ sent, passing, systemCode: code });
  expect(failure.message).not.toContain("secret");
  expect(describeFailure(new Error("outer", { cause: error }), false)).toMatchObject({ sent, passing });
  expect(describeFailure(error, true).sent).toBe("no");
});

test("a body that is cut short may have been sent", async () => {
  const { ask } = await answering((response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("[1,", () => response.destroy());
  });
  const answer = await ask();
  expect(answer).toMatchObject({ status: 200, text: "[1," });
  expect(answer.incomplete).toMatchObject({ sent: "maybe", passing: true });
});

test("a body that is too long is read no further, and not asked for again", async () => {
  const { ask } = await answering(endless(200));
  const answer = await ask();
  expect(answer.text).toHaveLength(2_000);
  expect(answer.incomplete).toMatchObject({ sent: "maybe", passing: false });
});

test("of the body of an error a little is enough", async () => {
  const long = await (await answering(endless(500))).ask();
  expect([long.status, long.text.length]).toEqual([500, 100]);
  const slow = await (await answering(dripping(500))).ask();
  expect([slow.status, slow.text.replaceAll(".", "")]).toEqual([500, ""]);
});

test("of a body that nobody needs a part is enough", async () => {
  const { ask } = await answering(dripping(200));
  expect(await ask({ needsBody: false })).toMatchObject({ status: 200 });
});

test("a body that never ends is ended by the time limit", async () => {
  const { ask } = await answering(dripping(200));
  const answer = await ask({ timeoutMs: 250 });
  expect(answer.incomplete).toMatchObject({ sent: "maybe", passing: true, timeout: true });
});

const LIST = JSON.stringify(["a", "b"]);
const packed =
  (coding: string, body: Buffer, status = 200): Reply =>
  (response) =>
    void response.writeHead(status, { "content-encoding": coding }).end(body);

test.each([
  ["gzip", gzipSync(LIST)],
  ["x-gzip", gzipSync(LIST)],
  ["GZIP", gzipSync(LIST)],
  ["identity", Buffer.from(LIST)],
])("compressed bodies in %s are read, and asked for", async (coding, body) => {
  const server = await startScriptedServer(packed(coding, body));
  onTestFinished(() => server.close());
  expect(await wireTo(server.baseUrl).ask()).toMatchObject({ text: LIST });
  expect(server.asked[0]?.headers["accept-encoding"]).toBe("gzip");
});

test("compressed bodies of errors are read, and an empty one is empty", async () => {
  const { ask } = await answering(packed("gzip", gzipSync("why"), 503));
  expect(await ask()).toMatchObject({ status: 503, text: "why" });
  expect(await (await answering(packed("gzip", Buffer.alloc(0)))).ask()).toMatchObject({ text: "" });
});

test("a compressed body may be no longer than others once it is unpacked", async () => {
  const answer = await (await answering(packed("gzip", gzipSync("x".repeat(2_001))))).ask();
  expect(answer).toMatchObject({ text: "", incomplete: { message: "the answer is longer than 2000 bytes" } });
});

test.each([
  ["br", Buffer.from(LIST)],
  ["gzip, gzip", gzipSync(gzipSync(LIST))],
  ["gzip", Buffer.from(LIST)],
  ["gzip", gzipSync(LIST).subarray(0, 15)],
])(
  "compressed bodies that are not what they say, or in another coding than was asked for (%s), have no text",
  async (coding, body) => {
    const answer = await (await answering(packed(coding, body))).ask();
    expect(answer).toMatchObject({
      text: "",
      incomplete: { message: `the coding of the answer cannot be read (${coding})` },
    });
  },
);

const never: Reply = () => undefined;

test("a request that is given up before it is sent is not sent", async () => {
  const { ask, connections } = await answering(never);
  expect(await failureOf(ask({ signal: AbortSignal.abort() }))).toMatchObject({ sent: "no", passing: false });
  expect(connections()).toBe(0);
});

test("a request that is given up while its answer or its body is awaited may have been sent", async () => {
  const half: Reply = (response) => void response.write("[");
  for (const reply of [never, half]) {
    const { ask } = await answering(reply);
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error("enough")), 10);
    const outcome = await ask({ signal: controller.signal }).then(
      (answer) => answer.incomplete,
      (error: unknown) => error,
    );
    expect(outcome).toBeInstanceOf(ExchangeFailure);
    expect(outcome).toMatchObject({ sent: "maybe", passing: false, message: "was aborted" });
  }
});
