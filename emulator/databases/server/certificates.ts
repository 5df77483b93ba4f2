// One certificate authority for each emulator, and one certificate for all its servers. Encoded in DER here:
// `node:crypto` makes keys and signatures, but no certificates, and not every machine has openssl.

import { createPrivateKey, generateKeyPairSync, randomBytes, sign, type KeyObject } from "node:crypto";

export interface Certificates {
  /** PEM. */
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

const dayMs = 24 * 60 * 60 * 1_000;
/** The host names and addresses of the servers. */
const dnsNames = ["localhost", "*.dbcloud.example"];
const addresses = [
  [127, 0, 0, 1],
  [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
];

export function makeCertificates(now = Date.now()): Certificates {
  const authority = newKey();
  const server = newKey();
  const issuer = nameOf(`pulumi-dbcloud emulator ${randomBytes(4).toString("hex")}`);
  const common = { issuer, signer: authority.privateKey, now };
  const root = certificate({ ...common, subject: issuer, key: authority.publicKey, extensions: authorityExtensions });
  const leaf = certificate({
    ...common,
    subject: nameOf("localhost"),
    key: server.publicKey,
    extensions: leafExtensions,
  });
  const key = createPrivateKey(server.privateKey.export({ type: "pkcs8", format: "pem" }));
  return {
    authority: pem(root),
    certificate: pem(leaf),
    key: key.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

const newKey = () => generateKeyPairSync("ec", { namedCurve: "P-256" });

interface CertificateFields {
  readonly subject: Buffer;
  readonly issuer: Buffer;
  readonly key: KeyObject;
  readonly signer: KeyObject;
  readonly extensions: () => Buffer;
  readonly now: number;
}

function certificate({ subject, issuer, key, signer, extensions, now }: CertificateFields): Buffer {
  const serial = Buffer.concat([Buffer.from([0x01]), randomBytes(15)]);
  const toBeSigned = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(serial),
    ecdsaWithSha256,
    issuer,
    sequence(time(now - dayMs), time(now + 3_650 * dayMs)),
    subject,
    key.export({ type: "spki", format: "der" }),
    tagged(0xa3, extensions()),
  );
  const signature = sign("sha256", toBeSigned, signer);
  return sequence(toBeSigned, ecdsaWithSha256, bits(signature));
}

function authorityExtensions(): Buffer {
  return sequence(
    extension("2.5.29.19", true, sequence(boolean(true))),
    extension("2.5.29.15", true, Buffer.from([0x03, 0x02, 0x01, 0x06])),
  );
}

function leafExtensions(): Buffer {
  const names = dnsNames.map((name) => tagged(0x82, Buffer.from(name)));
  const hosts = addresses.map((address) => tagged(0x87, Buffer.from(address)));
  return sequence(
    extension("2.5.29.19", true, sequence()),
    extension("2.5.29.37", false, sequence(oid("1.3.6.1.5.5.7.3.1"))),
    extension("2.5.29.17", false, sequence(...names, ...hosts)),
  );
}

function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes = length < 0x100 ? [length] : [length >> 8, length & 0xff];
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

const sequence = (...parts: readonly Buffer[]): Buffer => tagged(0x30, ...parts);
const integer = (bytes: Buffer): Buffer => tagged(0x02, bytes);
const boolean = (value: boolean): Buffer => tagged(0x01, Buffer.from([value ? 0xff : 0]));
const bits = (bytes: Buffer): Buffer => tagged(0x03, Buffer.from([0]), bytes);

/** Years until 2049 have two digits, later ones four. */
function time(at: number): Buffer {
  const digits = new Date(at).toISOString().replace(/[-:T]|\.\d+/g, "");
  return digits < "2050" ? tagged(0x17, Buffer.from(digits.slice(2))) : tagged(0x18, Buffer.from(digits));
}

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...others] = text.split(".").map(Number);
  return tagged(0x06, Buffer.from([first * 40 + second, ...others.flatMap(base128)]));
}

function base128(number: number): number[] {
  const bytes = [number & 0x7f];
  for (let rest = number >> 7; rest > 0; rest >>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}

const nameOf = (commonName: string): Buffer =>
  sequence(tagged(0x31, sequence(oid("2.5.4.3"), tagged(0x0c, Buffer.from(commonName)))));

const extension = (id: string, isCritical: boolean, value: Buffer): Buffer =>
  sequence(oid(id), ...(isCritical ? [boolean(true)] : []), tagged(0x04, value));

const ecdsaWithSha256 = sequence(oid("1.2.840.10045.4.3.2"));

function pem(bytes: Buffer): string {
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}
