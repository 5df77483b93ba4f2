// The parts of undici that carry requests without a proxy. Its index loads caches, mocks, fetch and WebSockets as well:
// three times the time and the memory, in every command that sends anything. No one promises these paths, so the version
// is pinned.

declare module "undici/lib/dispatcher/agent.js" {
  export { Agent as default } from "undici";
}
declare module "undici/lib/core/connect.js" {
  export { buildConnector as default } from "undici";
}
