// The old name of this module, until every test imports it from test/support.
export { openWorld, type Handlers, type Kept, type World } from "../support/world";
