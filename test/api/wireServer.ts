// The old name of this module, until every test imports it from test/support.
export {
  type Reply,
  startScriptedServer as startWireServer,
  type ScriptedServer as WireServer,
} from "../support/scriptedServer";
