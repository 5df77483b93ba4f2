// The old name of this module, until every test imports it from test/support.
export { fail, succeed } from "../support/cliProcess";
export { openEngineWorld as openWorld, type EngineWorld as World } from "../support/engineWorld";
export type { Project } from "../support/project";
