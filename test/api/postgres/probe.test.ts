// The probe against bare sockets: whatever is at the other end, it answers in time, and says what it met.

import { describe, expect, onTestFinished, test } from "vitest";
import { createProbe, readAnswer } from "../../../provider/api/postgres/probe";
import { codesOf } from "../../../provider/api/systemCodes";
import type { ConnectionAttempt } from "../../../provider/domain/connection";
import type { Clock } from "../../../provider/domain/values/clock";
import { createTestClock, type TestClock } from "../../support/clock";
import {
  errorResponse,
  passwordRequest,
  startingUp,
  startPostgresServer,
  type Behaviour,
  type PostgresServer,
} from "../../support/postgres/server";

async function serverThat(...behaviours: Behaviour[]): Promise<PostgresServer> {
  const server = await startPostgresServer(...behaviours);
  onTestFinished(() => server.close());
  return server;
}

/** The clock stands still meanwhile: these attempts end by themselves. */
async function probed(
  port: number,
  host = "127.0.0.1",
  clock: TestClock = createTestClock(),
): Promise<ConnectionAttempt> {
  const release = clock.hold();
  try {
    return await createProbe(clock)({ host, port, isInVpc: false }, 5_000);
  } finally {
    release();
  }
}

const accepting = (seen: string): ConnectionAttempt => ({ is: "accepting", seen });
const refusing = (seen: string): ConnectionAttempt => ({ is: "refusing", seen });

describe("a PostgreSQL accepts connections", () => {
  test.each([
    ["through TLS, with a certificate that nobody vouches for", true],
    ["without TLS, where it offers none", false],
  ])("%s", async (_, tls) => {
    const server = await serverThat({ tls, answer: [passwordRequest] });
    expect(await probed(server.port)).toEqual(accepting("it asks for a password"));
    expect(server.startups).toHaveLength(1);
    expect(server.startups[0]).toMatch(/user\0tsdbadmin\0database\0tsdb\0/);
    expect(server.startups[0]).not.toMatch(/password/);
  });

  test.each([
    ["28000", "no pg_hba.conf entry for host"],
    ["3D000", 'database "tsdb" does not exist'],
    ["53300", "sorry, too many clients already"],
  ])("also when it answers with error %s, in pieces", async (code, text) => {
    const error = errorResponse(code, text);
    const answer = [error.subarray(0, 4), error.subarray(4)];
    const server = await serverThat({ tls: true, answer });
    expect(await probed(server.port)).toEqual(accepting(`${text} (${code})`));
  });
});

describe("a PostgreSQL does not accept connections yet", () => {
  test("it is starting up, and says so or closes the connection", async () => {
    const server = await serverThat({ tls: true, answer: [startingUp] }, { tls: true, answer: [passwordRequest] });
    expect(await probed(server.port)).toEqual(refusing("the database system is starting up (57P03)"));
    expect(await probed(server.port)).toEqual(accepting("it asks for a password"));
    const closing = await serverThat("closes");
    expect(await probed(closing.port)).toMatchObject({ is: "refusing" });
  });

  test.each(["127.0.0.1", "localhost"])("nothing listens at any address of %s", async (host) => {
    const server = await startPostgresServer();
    await server.close();
    expect(await probed(server.port, host)).toEqual(refusing("the connection was refused (ECONNREFUSED)"));
  });

  test("it offers TLS and breaks off the handshake", async () => {
    const server = await serverThat({ offer: Buffer.from("S") });
    const attempt = probed(server.port);
    await server.spokenTo;
    await server.close();
    const { is, seen } = await attempt;
    expect({ is, seen }).toMatchObject({ is: "refusing", seen: expect.stringMatching(/\(E\w+\)$/) as string });
  });

  test.each<[string, Behaviour]>([
    ["at all", "silent"],
    ["after the offer of TLS", { offer: Buffer.from("S") }],
    ["after the refusal of TLS", { offer: Buffer.from("N") }],
    ["after half an answer", { tls: true, answer: [passwordRequest.subarray(0, 3)] }],
  ])("it takes the connection and does not answer %s: the attempt ends by the clock", async (_, behaviour) => {
    const server = await serverThat(behaviour);
    const clock = createTestClock();
    const release = clock.hold();
    const attempt = createProbe(clock)({ host: "127.0.0.1", port: server.port, isInVpc: false }, 5_000);
    await server.spokenTo;
    release();
    expect(await attempt).toEqual(refusing("it accepts the connection but sends nothing for 5 s"));
    expect(clock.sleeping).toBe(0);
  });
});

test("of several addresses that failed, the code of each counts, and not that of the first alone", () => {
  const failed = (code: string): Error => Object.assign(new Error(code), { code });
  const both = Object.assign(new AggregateError([failed("EHOSTUNREACH"), failed("ECONNREFUSED")]), {
    code: "EHOSTUNREACH",
  });
  expect(codesOf(new Error("connect", { cause: both }))).toEqual(["EHOSTUNREACH", "ECONNREFUSED"]);
});

describe("something else", () => {
  test("a web server answers", async () => {
    const server = await serverThat("http");
    expect(await probed(server.port)).toEqual({
      is: "foreign",
      seen: 'something other than PostgreSQL answered: "HTTP/1.1 400 Bad Request"',
    });
  });

  test.each([
    ["bytes before TLS that no encryption covers", Buffer.from("Sand more")],
    ["an error without a code", Buffer.from("E\0\0\0\x08bad\0", "latin1")],
    ["an answer of no length", Buffer.from("E\0\0\0\0bad\0", "latin1")],
    ["an answer of two gigabytes", Buffer.from("E\x7f\xff\xff\xff", "latin1")],
    ["what could move the cursor", Buffer.from("\u001b[2J", "latin1")],
  ])("%s", async (_, offer) => {
    const server = await serverThat({ offer });
    const { is, seen } = await probed(server.port);
    expect(is).toBe("foreign");
    expect(seen).toMatch(/^something other than PostgreSQL answered: "[^\p{Cc}]*"$/u);
  });

  test("a name that is not known", async () => {
    const { is, seen } = await probed(5432, "orders.pg.invalid");
    expect(is).toBe("unreachable");
    expect(seen).toMatch(/^the host name (?:was not found|could not be looked up) \(E\w+\)$/);
  });

  test("no packet arrives: the attempt ends at its time limit", async () => {
    const server = await serverThat("silent");
    const past: Clock = { now: () => 0, sleep: () => Promise.resolve() };
    expect(await createProbe(past)({ host: "127.0.0.1", port: server.port, isInVpc: true }, 5_000)).toEqual({
      is: "unreachable",
      seen: "no connection within 5 s",
    });
  });
});

test("an answer is recognized in chunks of any size", () => {
  for (const answer of [passwordRequest, startingUp, errorResponse("28P01", "wrong")]) {
    const whole = readAnswer(answer);
    expect(whole).toBeDefined();
    for (let end = 0; end < answer.length; end += 1) {
      expect([undefined, whole]).toContainEqual(readAnswer(answer.subarray(0, end)));
    }
  }
});
