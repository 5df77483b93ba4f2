// The old name of this module, until every test imports it from test/support.
export { createTestClock as createJumpingClock, type TestClock as JumpingClock } from "../support/clock";
