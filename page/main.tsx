// The entry of the page: draws the document that stands in it, or that the console streams.

import { render } from "preact";
import { App, ConsoleApp } from "./app";
import { modelOf } from "./model";
import type { PageDocument } from "./schema";

const root = document.getElementById("page");
const embedded = document.getElementById("document")?.textContent;
if (root !== null) {
  if (embedded === undefined) render(<ConsoleApp />, root);
  else render(<App model={modelOf(JSON.parse(embedded) as PageDocument)} live={undefined} />, root);
}
