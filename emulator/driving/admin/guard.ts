// Who may use the admin API: processes on this machine that send its key, and no web page of another origin.

import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { Failure, foreignHost } from "../../controlPlane/actions/failure";
import { isLoopback } from "../../controlPlane/http/loopback";

/**
 * A browser sends the origin of a page in `Origin`; for a page that the emulator itself served, that is the address
 * that the request goes to. Throws the Failure to answer with.
 */
export function requireLocal({ headers }: IncomingMessage, adminUrl: string): void {
  const { host, origin } = headers;
  if (!isLoopback(host)) throw foreignHost(host ?? "", adminUrl);
  const isForeign = origin !== undefined && origin.toLowerCase() !== `http://${host ?? ""}`.toLowerCase();
  if (isForeign) throw new Failure(403, "FOREIGN_ORIGIN", "the admin API answers no page of another origin");
}

export function requireKey({ headers }: IncomingMessage, adminKey: string): void {
  const [, given = ""] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "") ?? [];
  if (timingSafeEqual(digest(given), digest(adminKey))) return;
  throw new Failure(401, "UNAUTHORIZED", "missing or wrong admin key; the API key is not accepted here", {
    headers: { "WWW-Authenticate": "Bearer" },
  });
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
