// Receives one answer in parts, without a stream object, because a run has thousands of small answers. It ends with the
// answer, at a limit, or when the caller gives up, whichever comes first. Once there is a status, the result is an answer.

import { StringDecoder } from "node:string_decoder";
import type { Dispatcher } from "undici";
import { formatDuration } from "../../domain/values/duration";
import { ExchangeFailure, type WireAnswer, type WireRequest } from "./exchange";
import type { Limits } from "./limits";

export interface Outcome {
  resolve(answer: WireAnswer): void;
  reject(failure: ExchangeFailure): void;
  explain(error: unknown): ExchangeFailure;
}

export interface Receiver {
  handler: Dispatcher.DispatchHandler;
  /** The request was never sent. */
  fail: (error: unknown) => void;
}

/** One answer, in parts until it ends. */
class Reception {
  #controller: Dispatcher.DispatchController | undefined;
  #head: Pick<WireAnswer, "status" | "headers"> | undefined;
  readonly #decoder = new StringDecoder("utf8");
  #text = "";
  #size = 0;
  #maxBytes = 0;
  #isSettled = false;
  /** Why the rest of the answer is not wanted. */
  #refusal: ExchangeFailure | undefined;
  readonly #timer: NodeJS.Timeout;
  #asideTimer: NodeJS.Timeout | undefined;
  readonly #giveUp = (): void => this.end(new ExchangeFailure("was aborted", { sent: "maybe", passing: false }));

  readonly #request: WireRequest;
  readonly #limits: Limits;
  readonly #outcome: Outcome;

  constructor(request: WireRequest, limits: Limits, outcome: Outcome) {
    this.#request = request;
    this.#limits = limits;
    this.#outcome = outcome;
    this.#timer = setTimeout(() => this.end(tooLate(request.timeoutMs)), request.timeoutMs);
    request.signal?.addEventListener("abort", this.#giveUp, { once: true });
  }

  start(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#refusal !== undefined) controller.abort(this.#refusal);
  }

  takeHead(status: number, headers: Record<string, string | string[] | undefined>): void {
    // HTTP: an interim answer.
    if (status < 200) return;
    this.#head = { status, headers: singleHeaders(headers) };
    const [request, limits] = [this.#request, this.#limits];
    const isWanted = request.needsBody && status < 300;
    this.#maxBytes = isWanted ? Math.min(limits.bytes, request.maxBytes ?? limits.bytes) : limits.asideBytes;
    if (!isWanted) this.#asideTimer = setTimeout(() => this.end(tooLate(limits.asideMs)), limits.asideMs);
  }

  takeBytes(chunk: Buffer): void {
    if (this.#refusal !== undefined) return;
    // Decoded in pieces, so that a list of thousands is not held twice.
    this.#text += this.#decoder.write(chunk.subarray(0, this.#maxBytes - this.#size));
    this.#size += chunk.length;
    if (this.#size > this.#maxBytes) this.end(tooLong(this.#maxBytes));
  }

  settle(failure?: ExchangeFailure): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#refusal = failure;
    clearTimeout(this.#timer);
    clearTimeout(this.#asideTimer);
    this.#request.signal?.removeEventListener("abort", this.#giveUp);
    if (this.#head !== undefined) {
      const text = this.#text + this.#decoder.end();
      this.#outcome.resolve({ ...this.#head, text, ...(failure && { incomplete: failure }) });
    } else if (failure !== undefined) {
      this.#outcome.reject(failure);
    }
  }

  /** The rest is not wanted, and the connection is not used again. */
  end(failure: ExchangeFailure): void {
    this.settle(failure);
    this.#controller?.abort(failure);
  }
}

export function createReceiver(request: WireRequest, limits: Limits, outcome: Outcome): Receiver {
  const reception = new Reception(request, limits, outcome);
  const fail = (error: unknown): void => reception.settle(outcome.explain(error));
  return {
    fail,
    handler: {
      onRequestStart: (controller) => reception.start(controller),
      onResponseStart: (_, status, headers) => reception.takeHead(status, headers),
      onResponseData: (_, chunk) => reception.takeBytes(chunk),
      onResponseEnd: () => reception.settle(),
      onResponseError: (_, error) => fail(error),
    },
  };
}

function tooLate(ms: number): ExchangeFailure {
  return new ExchangeFailure(`no full answer within ${formatDuration(ms)}`, {
    sent: "maybe",
    passing: true,
    timeout: true,
    spentMs: ms,
  });
}

function tooLong(maxBytes: number): ExchangeFailure {
  return new ExchangeFailure(`the answer is longer than ${maxBytes} bytes`, { sent: "maybe", passing: false });
}

function singleHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string | undefined> {
  const single: Record<string, string | undefined> = {};
  for (const name in headers) {
    const value = headers[name];
    single[name] = Array.isArray(value) ? value[0] : value;
  }
  return single;
}
