// The old name of this module, until every test imports it from test/support.
export { openEngineWorld as openWorld, type EngineWorld as World } from "../support/engineWorld";
export type { InlineStack as EngineStack } from "../support/inlineStack";
