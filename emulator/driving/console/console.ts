// The console of the emulator: one page in a browser, with what there is and what happens, as it happens. It has a key of its
// own, which the link carries behind the number sign, so that no server and no log sees it.

import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import type { Controls, PageDocument, PageFinding, PagePatch } from "../../../page/schema";
import { Failure } from "../../controlPlane/actions/failure";
import { profiles, type Profile } from "../../controlPlane/actions/index";
import type { ActiveFault } from "../../controlPlane/http/faults";
import type { RequestRecord } from "../../controlPlane/http/requests";
import { isKey } from "../../controlPlane/http/auth";
import type { AdminHandler } from "../../controlPlane/http/server";
import { logPage } from "../../controlPlane/world/logs";
import { advanceWorld, type World } from "../../controlPlane/world/world";
import type { Emulator } from "../../emulator";
import { requireLocal, send, sendFailure } from "../admin/server";
import { objectsOf } from "./objects";
import { createRecorder, type Recorder } from "./recorder";

const consolePath = "/_emulator/console";

/** How often the world is looked at while somebody watches: it has no timers, and its clock goes on without requests. */
const tickMs = 150;

/** A client that reads no more than this is ended. */
const mostUnreadBytes = 16 * 1024 * 1024;

interface Console extends AdminHandler {
  /** With its key. */
  link(origin: string): string;
  close(): void;
}

interface Given {
  readonly world: World;
  readonly now: () => number;
  /** Called with each request when it has been answered. */
  readonly listeners: Set<(request: RequestRecord) => void>;
  readonly admin: AdminHandler;
  /** Known once it listens. */
  readonly emulator: () => Emulator;
  readonly profile: Profile;
}

/** Serves the console, and all else by the admin API. */
export function createConsole({ world, now, listeners, admin, emulator, profile }: Given): Console {
  const recorder = createRecorder(world, now);
  listeners.add((record) => recorder.request(record));
  const key = randomBytes(18).toString("base64url");
  const watchers = new Set<ServerResponse>();
  const operations = profiles[profile];
  const sent = { objects: new Map<string, string>(), relations: "", findings: "", controls: "" };
  let timer: NodeJS.Timeout | undefined;
  let revision = -1;

  const whole = (): PageDocument => {
    const { objects, relations } = objectsOf(world, now());
    const findings = recorder.byHand().map(findingOf);
    return {
      format: "pulumi-dbcloud/page",
      version: 1,
      title: "Emulator",
      at: new Date(now()).toISOString(),
      summary: summaryOf(objects.length, findings.length),
      heading: "Changed by hand",
      projects: world.projects.map(({ id }) => id),
      stacks: [],
      objects,
      relations,
      findings,
      events: recorder.all(),
    };
  };

  const controls = (): Controls => {
    const { isFrozen, now: at } = emulator().clock.state();
    const all = emulator().faults.list();
    const faults = all.map((one) => ({ id: one.id, text: faultText(one), hits: one.struck }));
    // Once a second: more would be noise.
    return { clock: { now: Math.floor(at / 1_000) * 1_000, isFrozen }, faults };
  };

  const tell = (event: string, data: object, to: Iterable<ServerResponse> = watchers): void => {
    const text = `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
    for (const one of to) {
      if (one.writableLength > mostUnreadBytes) one.destroy();
      else one.write(text);
    }
  };

  /** Tells what differs from what was told last. */
  const tick = (): void => {
    advanceWorld(world, now());
    recorder.update();
    const said = JSON.stringify(controls());
    if (said !== sent.controls) tell("controls", controls());
    sent.controls = said;
    if (revision === world.revision && world.active.size === 0 && recorder.isIdle()) return;
    revision = world.revision;
    const events = recorder.taken();
    const { objects, relations, findings, at, summary } = whole();
    const texts = new Map(objects.map((one) => [one.key, JSON.stringify(one)]));
    const patch: PagePatch = {
      at,
      summary,
      events,
      objects: objects.filter((one) => texts.get(one.key) !== sent.objects.get(one.key)),
      gone: [...sent.objects.keys()].filter((one) => !texts.has(one)),
    };
    const [ties, found] = [JSON.stringify(relations), JSON.stringify(findings)];
    if (ties !== sent.relations) patch.relations = relations;
    if (found !== sent.findings) patch.findings = findings;
    Object.assign(sent, { objects: texts, relations: ties, findings: found });
    const isSame = patch.objects.length + patch.gone.length + events.length === 0;
    if (!isSame || patch.relations || patch.findings) tell("patch", patch);
  };

  const watch = (response: ServerResponse): void => {
    // So that all have been told the same.
    tick();
    response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
    tell("document", { ...whole(), operations }, [response]);
    tell("controls", controls(), [response]);
    watchers.add(response);
    timer ??= setInterval(tick, tickMs).unref();
    response.once("close", () => {
      watchers.delete(response);
      if (watchers.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    });
  };

  const logs = (serviceId: string): object[] => {
    const entries = world.services.get(serviceId)?.logs ?? [];
    const filter = { before: undefined, node: undefined, search: [], severities: [] };
    const { shown } = logPage(entries, { ...filter, sinceMs: undefined, untilMs: undefined });
    return shown.map(({ at, node, severity, message }) => ({
      at: new Date(at).toISOString(),
      node,
      severity,
      message,
    }));
  };

  const handle = (message: IncomingMessage, response: ServerResponse): void => {
    const { pathname, searchParams } = new URL((message.url ?? "").slice(consolePath.length), "http://127.0.0.1/");
    requireLocal(message, emulator().adminUrl);
    if (message.method === "GET" && pathname === "/") return sendPage(response);
    if (!isKey(message.headers.authorization, key))
      throw new Failure(401, "UNAUTHORIZED", "missing or wrong key: use the link that was printed");
    if (pathname.startsWith("/v1/")) {
      message.url = `/_emulator${pathname}`;
      message.headers.authorization = `Bearer ${emulator().adminKey}`;
      return admin.handle(message, response);
    }
    if (message.method === "GET" && pathname === "/stream") return watch(response);
    if (message.method === "GET" && pathname === "/logs")
      return send(response, 200, logs(searchParams.get("service") ?? ""));
    throw new Failure(404, "NOT_FOUND", "the console has no such address");
  };

  return {
    handle(message, response) {
      if (!isForConsole(message)) return admin.handle(message, response);
      try {
        handle(message, response);
      } catch (error) {
        sendFailure(response, error);
      }
    },
    link: (origin) => `${origin}${consolePath}/#key=${key}`,
    close: () => clearInterval(timer),
  };
}

const isForConsole = ({ url = "" }: IncomingMessage): boolean => /^\/_emulator\/console(?:[/?]|$)/.test(url);

function summaryOf(objects: number, findings: number): string {
  if (objects === 0) return "Nothing exists yet.";
  return findings === 0 ? "Nothing: all is as the API left it." : "What differs from what the API did last.";
}

function findingOf({ key, name, property, before, now }: ReturnType<Recorder["byHand"]>[number]): PageFinding {
  if (property === undefined)
    return { category: "unmanaged", about: [key], title: `${name} was made by hand`, next: "No program has it." };
  return {
    category: "changed",
    about: [key],
    title: `${name}: ${property}`,
    property,
    program: before ?? null,
    live: now ?? null,
    next: "`pulumi preview --refresh` of the program that manages it shows the difference.",
  };
}

const faultText = ({ kind, operation }: ActiveFault): string => `${kind} of ${operation ?? "any operation"}`;

/** Found from the bundle and from the sources. */
const pageFile = ["../page/page.html", "../../../dist/page/page.html"]
  .map((file) => path.join(__dirname, file))
  .find((file) => existsSync(file));

function sendPage(response: ServerResponse): void {
  if (pageFile === undefined) throw new Failure(503, "NOT_BUILT", "this checkout has no page: npm run build makes it");
  const text = readFileSync(pageFile, "utf8");
  const [, policy = ""] = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(text) ?? [];
  response.writeHead(200, {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    // As in a report, and it may ask the server that it came from.
    "Content-Security-Policy": `${policy}; connect-src 'self'; frame-ancestors 'none'`,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
  });
  response.end(text.replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, ""));
}
