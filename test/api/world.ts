// The old name of this module, until every test imports it from test/support.
export { createWorld, failureOf, inProject, ofService } from "../support/client";
