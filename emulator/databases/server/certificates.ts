// The certificate of all servers of one emulator: signed with its own key, so clients that trust it need no other. Encoded
// in DER here: `node:crypto` makes keys and signatures, but no certificates, and not every machine has openssl.

import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

const dayMs = 24 * 60 * 60 * 1_000;
/** The host names and addresses of the servers. */
const dnsNames = ["localhost", "*.dbcloud.example"];
const addresses = [
  [127, 0, 0, 1],
  [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
];

/** As PEM. */
export interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

export function makeCertificate(now = Date.now()): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  // Clients tell certificates of one name and different keys apart by it.
  const name = nameOf(`pulumi-dbcloud emulator ${randomBytes(4).toString("hex")}`);
  const toBeSigned = sequence(
    der(0xa0, integer([2])),
    integer([1, ...randomBytes(15)]),
    ecdsaWithSha256,
    name,
    sequence(time(now - dayMs), time(now + 3_650 * dayMs)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, extensions),
  );
  const signature = sign("sha256", toBeSigned, privateKey);
  return {
    certificate: pem(sequence(toBeSigned, ecdsaWithSha256, der(0x03, [0], signature))),
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

/** A value in DER: its tag, its length, its content. */
function der(tag: number, ...parts: readonly (Buffer | readonly number[])[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const { length } = content;
  const bytes = length < 0x100 ? [length] : [length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...(length < 0x80 ? [] : [0x80 | bytes.length]), ...bytes]), content]);
}

const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, ...parts);
const integer = (bytes: readonly number[]): Buffer => der(0x02, bytes);
const yes = der(0x01, [0xff]);

/** By the bytes of its encoding. */
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, "hex"));
const ids = {
  commonName: oid("550403"),
  subjectAltName: oid("551d11"),
  basicConstraints: oid("551d13"),
  extKeyUsage: oid("551d25"),
  serverAuth: oid("2b06010505070301"),
  ecdsaWithSha256: oid("2a8648ce3d040302"),
};

const ecdsaWithSha256 = sequence(ids.ecdsaWithSha256);
const octets = (value: Buffer): Buffer => der(0x04, value);

const extensions = sequence(
  sequence(ids.basicConstraints, yes, octets(sequence())),
  sequence(ids.extKeyUsage, octets(sequence(ids.serverAuth))),
  sequence(
    ids.subjectAltName,
    octets(
      sequence(
        ...dnsNames.map((name) => der(0x82, Buffer.from(name))),
        ...addresses.map((address) => der(0x87, address)),
      ),
    ),
  ),
);

/** Years until 2049 have two digits, later ones four. */
function time(at: number): Buffer {
  const digits = new Date(at).toISOString().replace(/[-:T]|\.\d+/g, "");
  return digits < "2050" ? der(0x17, Buffer.from(digits.slice(2))) : der(0x18, Buffer.from(digits));
}

const nameOf = (commonName: string): Buffer =>
  sequence(der(0x31, sequence(ids.commonName, der(0x0c, Buffer.from(commonName)))));

function pem(bytes: Buffer): string {
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}
