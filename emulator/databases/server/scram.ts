// The SCRAM verifier that PostgreSQL stores for a password. The password itself never reaches a server: a statement
// that fails is written into the log, and logs are an endpoint.

import { createHash, createHmac, pbkdf2, randomBytes } from "node:crypto";
import { promisify } from "node:util";

const rounds = 4_096;
const derive = promisify(pbkdf2);

export async function scramVerifier(password: string): Promise<string> {
  const salt = randomBytes(16);
  const salted = await derive(prepared(password), salt, rounds, 32, "sha256");
  const keyed = (text: string): Buffer => createHmac("sha256", salted).update(text).digest();
  const storedKey = createHash("sha256").update(keyed("Client Key")).digest();
  const serverKey = keyed("Server Key");
  const [saltText, stored, server] = [salt, storedKey, serverKey].map((bytes) => bytes.toString("base64"));
  return `SCRAM-SHA-256$${rounds}:${saltText}$${stored}:${server}`;
}

/** Normalizes the password as clients do (RFC 4013): removed characters, spaces, then normal form KC. */
function prepared(password: string): string {
  if (/^[\x20-\x7e]*$/.test(password)) return password;
  return password
    .replace(/\u00AD|\u034F|\u1806|[\u180B-\u180D]|[\u200B-\u200D]|\u2060|[\uFE00-\uFE0F]|\uFEFF/gu, "")
    .replace(/[\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]/gu, " ")
    .normalize("NFKC");
}
