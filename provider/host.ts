// The `./provider` entry, which the `__provider` line in every state loads, now and in years. It returns the handlers of a
// kind. One process has one host, which is created on first use.

import type * as pulumi from "@pulumi/pulumi";
import type { ProviderConfig } from "./domain/config/config";
import type { Kind } from "./domain/kinds";
import { createHost, type Host } from "./host/host";
import type { ClientSession } from "./lifecycle/session/createSession";

const theHost = once((): Host => createHost({ environment: process.env, argv: process.argv, console }));

/** The handlers of one kind of resource. States name kinds, so a kind is never renamed. */
export function provider(kind: Kind): pulumi.dynamic.ResourceProvider {
  return theHost().provider(kind);
}

/** @internal The session for a configuration; the same one for the same account. Throws a ConfigError when something is missing. */
export function openSession(config: ProviderConfig): ClientSession {
  return theHost().openSession(config);
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
