// A server whose every text is meant for the terminal, met by the handlers in the real provider process: what reaches the
// engine, on a row or as an error, steers nothing and forges no line.

import { expect, test } from "vitest";
import { EVIL, steering } from "../hostile/texts";
import { failureOf } from "./provider";
import { hidden, openScene } from "./scene";

const refusal = { kind: "status", body: { code: EVIL, message: EVIL } } as const;

test("names, statuses and refusals of a hostile server steer nothing, on rows and in errors", async () => {
  const { emulator, engine, provider, checked } = await openScene();
  const inputs = await checked("service", "orders", { name: EVIL, poolerEnabled: true });
  emulator.faults.add({ ...refusal, status: 403, operation: "enablePooler", times: 1 });
  const half = await failureOf(provider.create(inputs));
  expect(half.kept?.reasons.join()).toContain("403 x ]0;owned");
  const [service] = emulator.state().services;
  const { id = "", initialPassword } = service ?? {};
  const { outs } = await provider.update(id, { ...half.kept?.properties, initialPassword }, inputs);
  // A status that no table knows, while the delete waits; the server is busy first.
  emulator.faults.add({ ...refusal, status: 409, operation: "deleteService", times: 3 });
  await provider.delete(id, { ...outs, initialPassword });
  emulator.mutate.createService({ name: "duplicate", wire: { status: EVIL } });
  const duplicate = await failureOf(provider.create(await checked("service", "orders", { name: "duplicate" })));
  expect(duplicate.message).toContain("there is already service");
  const rows = engine.lines.map(({ text }) => text);
  expect(rows.join("\n")).toMatch(/createService: x\\u001b/);
  const texts = [...rows, half.message, ...(half.kept?.reasons ?? []), duplicate.message];
  expect(texts.flatMap(steering)).toEqual([]);
  expect(provider.stderr()).toBe("");
});

test("passwords that only the state has, and that a hostile server quotes, are not shown", async () => {
  const { emulator, provider } = await openScene();
  const { id } = emulator.mutate.createService({ name: "orders" });
  const passwords = { password: "correct horse battery", initialPassword: "staple-of-the-first-day" };
  const state = { ...hidden("service", "orders"), projectId: emulator.projectId, name: "orders", ...passwords };
  const message = `the master user has ${Object.values(passwords).join(" or ")}`;
  emulator.faults.add({ kind: "status", status: 403, body: { message }, times: Infinity });
  const failures = [
    await failureOf(provider.delete(id, state)),
    await failureOf(provider.read(id, state)),
    await failureOf(provider.update(id, state, { ...state, password: "another one", poolerEnabled: true })),
  ];
  for (const failure of failures) {
    const said = failure.message + failure.kept?.reasons.join();
    expect(said).toContain("403 [secret]");
    for (const password of Object.values(passwords)) expect(said).not.toContain(password);
  }
});
