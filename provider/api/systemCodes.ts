// What the codes of failed connections mean, in words.

export const CODE_WORDS: Readonly<Record<string, string>> = {
  ENOTFOUND: "the host name was not found",
  EAI_AGAIN: "the host name could not be looked up",
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was reset",
  EPIPE: "the connection was closed",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  ETIMEDOUT: "no connection within the time limit",
  UND_ERR_CONNECT_TIMEOUT: "no connection within the time limit",
  UND_ERR_HEADERS_TIMEOUT: "no answer within the time limit",
  UND_ERR_BODY_TIMEOUT: "the answer stopped in the middle",
  UND_ERR_SOCKET: "the connection was closed before the answer was complete",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "the answer is shorter or longer than announced",
  CERT_HAS_EXPIRED: "the certificate has expired",
  CERT_NOT_YET_VALID: "the certificate is not valid yet",
  ERR_TLS_CERT_ALTNAME_INVALID: "the certificate is for another name",
  CERT_REVOKED: "the certificate was revoked",
  DEPTH_ZERO_SELF_SIGNED_CERT: "the issuer of the certificate is not trusted",
  SELF_SIGNED_CERT_IN_CHAIN: "the issuer of the certificate is not trusted",
  UNABLE_TO_GET_ISSUER_CERT: "the issuer of the certificate is not trusted",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "the issuer of the certificate is not trusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the issuer of the certificate is not trusted",
};

/** Several addresses that all failed come as one error, with the code of the first of them. */
export function codesOf(error: unknown): string[] {
  if (error instanceof AggregateError) return error.errors.flatMap(codesOf);
  if (!(error instanceof Error)) return [];
  return "code" in error && typeof error.code === "string" ? [error.code] : codesOf(error.cause);
}
