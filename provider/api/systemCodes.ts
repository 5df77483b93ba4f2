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
};

/** What is wrong with a certificate that is not accepted, and what helps. No request is sent to its server. */
const CERTIFICATES: readonly (readonly [codes: RegExp, words: string, remedy: string])[] = [
  [/EXPIRED/, "the certificate has expired", "Renew it. If it is valid, correct the clock of this machine."],
  [/NOT_YET/, "the certificate is not valid yet", "Correct the clock of this machine, or wait until it is valid."],
  [
    /ALTNAME|HOSTNAME/,
    "the certificate is for another name",
    "Check the base URL (DBCLOUD_BASE_URL): its host is not in the certificate.",
  ],
  [
    /SELF_SIGNED|^UNABLE_TO_(?:GET|VERIFY)/,
    "the issuer of the certificate is not trusted",
    "If it is the right certificate, set NODE_EXTRA_CA_CERTS or SSL_CERT_FILE to the file of its CA.",
  ],
  [
    /CERT|^UNABLE_TO_|^UND_ERR_PRX_TLS$/,
    "no secure connection",
    "Check the certificate of the server, or of the proxy.",
  ],
];

export const certificateProblem = (code = ""): (typeof CERTIFICATES)[number] | undefined =>
  CERTIFICATES.find(([codes]) => codes.test(code));

/** Several addresses that all failed come as one error, with the code of the first of them. */
export function codesOf(error: unknown): string[] {
  if (error instanceof AggregateError) return error.errors.flatMap(codesOf);
  if (!(error instanceof Error)) return [];
  return "code" in error && typeof error.code === "string" ? [error.code] : codesOf(error.cause);
}
