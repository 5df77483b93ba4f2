// Fetches a release of the Pulumi CLI from the address where Pulumi's own installer gets it. Built-ins only.
import { createWriteStream, rmSync } from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { messageOf, runStep, showProgress, steps } from "./step.mjs";

/** Until the answer begins, and from each part of it to the next. */
const patience = { connectMs: 5_000, stallMs: 30_000 };

/**
 * Puts the programs of a release into `bin` of the folder. Where nobody answers, that is known after five seconds.
 * @param {{ folder: string, env: import("./paths.mjs").Environment, version: string, site?: string, waits?: typeof patience }} release
 */
export async function fetchPulumi({ folder, env, version, site = "https://get.pulumi.com", waits = patience }) {
  const archive = path.join(folder, "pulumi.tar.gz");
  const ended = new AbortController();
  const stop = (/** @type {string} */ reason) => ended.abort(new Error(`${site}: ${reason}`));
  const signal = AbortSignal.any([ended.signal, steps.signal]);
  let timer = setTimeout(stop, waits.connectMs, `no answer in ${waits.connectMs / 1000} s`);
  let bytes = 0;
  const done = showProgress("fetching the Pulumi CLI", () => `${Math.round(bytes / 1e6)} MB`);
  try {
    const url = `${site}/releases/sdk/pulumi-v${version}-${process.platform}-${process.arch}.tar.gz`;
    const { ok, status, body } = await fetch(url, { signal });
    if (!ok || body === null) throw new Error(`${url} answers ${status}`);
    clearTimeout(timer);
    timer = setTimeout(stop, waits.stallMs, `nothing came for ${waits.stallMs / 1000} s`);
    const incoming = Readable.fromWeb(body);
    incoming.on("data", (/** @type {Uint8Array} */ chunk) => {
      bytes += chunk.length;
      timer.refresh();
    });
    await pipeline(incoming, createWriteStream(archive), { signal });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw new Error(messageOf(error instanceof Error && error.cause ? error.cause : error), { cause: error });
  } finally {
    clearTimeout(timer);
    done();
    ended.abort();
  }
  const unpacked = ["-xzf", archive, "--strip-components=1", "-C", path.join(folder, "bin")];
  await runStep("unpacking the Pulumi CLI", "tar", unpacked, { env });
  rmSync(archive);
}
