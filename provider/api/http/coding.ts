// Unpacks answers, which a gateway may compress unasked. Undici's own interceptor prints a warning that it is experimental.

import zlib from "node:zlib";
import { codesOf } from "../systemCodes";
import { ExchangeFailure, type WireAnswer } from "./exchange";

type Unpack = (packed: Buffer, limit: { maxOutputLength: number }) => Buffer;

const UNPACK: ReadonlyMap<string, Unpack> = new Map([
  ["gzip", zlib.gunzipSync],
  ["deflate", zlib.inflateSync],
  ["br", zlib.brotliDecompressSync],
  ["zstd", zlib.zstdDecompressSync],
  ["identity", (body: Buffer) => body],
]);

/** As `accept-encoding` names them. */
export const CODINGS = [...UNPACK.keys()].join(", ");

/** The body of an answer with a `content-encoding`. */
export function unpacked(body: Buffer, coding: string, maxBytes: number): Partial<WireAnswer> {
  const codings = coding.split(",").map((one) => one.trim().toLowerCase().replace(/^x-/, ""));
  const layers = codings.flatMap((one) => UNPACK.get(one) ?? []);
  if (layers.length < codings.length) return { unreadable: coding };
  try {
    const unpack = (packed: Buffer, layer: Unpack): Buffer => layer(packed, { maxOutputLength: maxBytes });
    return { text: layers.reduceRight(unpack, body).toString() };
  } catch (error) {
    return codesOf(error)[0] === "ERR_BUFFER_TOO_LARGE" ? { incomplete: tooLong(maxBytes) } : { unreadable: coding };
  }
}

export function tooLong(bytes: number): ExchangeFailure {
  return new ExchangeFailure(`the answer is longer than ${bytes} bytes`, { sent: "maybe", passing: false });
}
