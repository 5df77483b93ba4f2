// The plugin as the engine calls it: one method for each call of Pulumi's provider protocol. front.ts has their meaning.

import {
  connectivityState,
  credentials,
  type sendUnaryData,
  type ServerUnaryCall,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { type PluginAttach, PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { VERSION } from "../provider/api/version";
import type { ProcessEnvironment } from "../provider/domain/config/config";
import { InputError, messageOf, RefusedError } from "../provider/domain/errors";
import { describeUnknownSettings } from "../provider/domain/config/previewWarnings";
import { nameInUrn } from "../provider/domain/values/urn";
import { containsUnknown, isEqual, textOf, type Values } from "../provider/domain/values/value";
import { AT_ONCE, createCalls, type ProcessState, type RunCall } from "../provider/host/calls";
import { connectEngine, watchEngine } from "../provider/host/engine";
import { createProcessState, runEnded } from "../provider/host/host";
import { createSettingsReader } from "../provider/host/settings";
import { keyOf } from "../provider/host/urns";
import { resources } from "../provider/kinds/index";
import { typeOf } from "../provider/pulumi/stateNames";
import { type HandlerCall, createFront, type DetailedDiff, type Front } from "./front";
import { invoke } from "./functions";
import { failure, receive, type Received, send, sendPlain, withoutSecrets } from "./messages";

export interface PluginOptions {
  environment: ProcessEnvironment;
  /** The text of schema.json. */
  schema: string;
  /** Undefined if the engine attaches itself. */
  engineAddress: string | undefined;
  /** The engine is gone, and no call is running. */
  onEnd: () => void;
}

export interface Plugin {
  methods: UntypedServiceImplementation;
  /** Nothing more is sent: every wait ends, and ids are saved. */
  cancel(): void;
  isIdle(): boolean;
}

/** The parts that know the engine. */
interface Connected {
  shared: ProcessState;
  call: RunCall;
  fronts: ReadonlyMap<string, Front>;
}

const KINDS = { add: "ADD", update: "UPDATE", delete: "DELETE" } as const;

export function createPlugin({ environment, schema, engineAddress, onEnd }: PluginOptions): Plugin {
  let over = new AbortController();
  const settings = createSettingsReader(environment);
  const described = JSON.parse(schema) as { resources: Record<string, { properties: object } | undefined> };
  let connected: Connected | undefined;
  let configured: Values | undefined;

  function connect(address: string | undefined): Connected {
    // A debugger keeps the process for one command after the other: each has an end, settings and a view of its own.
    over = new AbortController();
    configured = undefined;
    const run = over;
    const client = address === undefined ? undefined : connectEngine(address, { credentials });
    const engine = address === undefined || client === undefined ? undefined : { address, client };
    const shared = createProcessState(environment, engine, run.signal);
    const call = createCalls(shared, settings);
    const fronts = Object.values(resources).map((resource): [string, Front] => {
      const type = typeOf("native", resource.kind);
      return [
        type,
        createFront(resource, shared.memory, call, Object.keys(described.resources[type]?.properties ?? {})),
      ];
    });
    if (client !== undefined) {
      const isIdle = (): boolean => shared.calls.underWay === 0;
      const onIdle = (): void => {
        if (address === engineAddress) onEnd();
      };
      watchEngine(
        client,
        { onGone: () => run.abort(runEnded("the Pulumi engine has ended")), isIdle, onIdle },
        { connectivityState },
      );
    }
    return (connected = { shared, call, fronts: new Map(fronts) });
  }
  if (engineAddress !== undefined) connect(engineAddress);
  const parts = (): Connected => connected ?? connect(undefined);
  const front = (urn: string): Front => {
    // Pulumi: the types of its parents stand before its own.
    const type = urn.split("::")[2]?.split("$").at(-1) ?? "";
    const found = parts().fronts.get(type);
    if (found === undefined) throw new InputError("unknown-type", "", `there is no resource type ${type}`);
    return found;
  };

  /** The names of other objects that are secret: a refusal to delete a VPC lists what is in it. */
  const secretNames = new Set<string>();
  const unary = answering((struct) => {
    const received = receive(struct);
    const name = textOf(received.values, "name");
    if (received.secrets.has("name") && name !== undefined && received.texts.includes(name)) secretNames.add(name);
    return { ...received, texts: [...received.texts, ...secretNames] };
  });

  const cancel = (): void => over.abort(runEnded("the command was canceled"));

  const configuration = {
    getSchema: unary(() => answer(new messages.GetSchemaResponse(), (it) => it.setSchema(schema))),
    getPluginInfo: unary(() => answer(new PluginInfo(), (it) => it.setVersion(VERSION))),
    attach: unary((request: PluginAttach) => {
      connect(request.getAddress());
      return new Empty();
    }),
    checkConfig: unary(async (request: messages.CheckRequest, take) => {
      const [news, urn] = [take(request.getNews()), request.getUrn()];
      const inputs: Values = {
        ...news.values,
        ...(isDefaultProvider(urn, news.values, environment) ? {} : { explicit: "true" }),
      };
      const unknown = Object.keys(inputs).filter((key) => containsUnknown(inputs[key]));
      // The classes for TypeScript warn themselves.
      if (unknown.length > 0 && news.values["explicit"] === undefined) {
        const row = parts().shared.openRow(urn, AT_ONCE);
        row.warn(describeUnknownSettings(nameInUrn(urn), unknown));
        await row.end();
      }
      const key = "apiKey" in inputs ? ["apiKey"] : [];
      return answer(new messages.CheckResponse(), (it) =>
        it.setInputs(send(inputs, { ...news, secrets: new Set([...news.secrets, ...key]) })),
      );
    }),
    diffConfig: unary((request: messages.DiffRequest, take) => {
      const [olds, news] = [take(request.getOlds()).values, take(request.getNews()).values];
      const keys = [...new Set([...Object.keys(olds), ...Object.keys(news)])];
      const changed = keys.filter((key) => !isEqual(olds[key], news[key]));
      // Another account never replaces what is in the state: objects stay in the project that the state names.
      return diffResponse(
        { hasChanges: changed.length > 0, changes: [], replaces: [], deleteBeforeReplace: false },
        changed,
      );
    }),
    configure: unary((request: messages.ConfigureRequest, take) => {
      const { version: _, __internal, ...args } = take(request.getArgs()).values;
      if (configured !== undefined && !isEqual(configured, args)) {
        throw new RefusedError(
          "one-account",
          "one plugin process serves one provider, and this one was configured with other settings already",
          "Use one account in the program while the plugin is attached by PULUMI_DEBUG_PROVIDERS.",
        );
      }
      configured = args;
      const given = new Map(Object.entries(args).map(([key, value]) => [`dbcloud:${key}`, value]));
      settings.configure((key) => given.get(key), [...given.keys()]);
      return answer(new messages.ConfigureResponse(), (it) => it.setAcceptsecrets(true).setSupportspreview(true));
    }),
    cancel: unary(() => {
      cancel();
      return new Empty();
    }),
    invoke: unary((request: messages.InvokeRequest, take) => {
      const [args, token] = [take(request.getArgs()), request.getTok()];
      const name = token.slice(token.lastIndexOf(":") + 1);
      // Each provider of a program has a process and an account of its own.
      const by = { key: keyOf({ token, args: args.values, process: process.pid }), name };
      return parts().call({ __secrets: args.texts }, AT_ONCE, async (context) => {
        const lookUp = (): Promise<Values> => invoke(context.session(), token, args.values, context.warn);
        // Pulumi: no error of it ends a program in Go, and `up` deletes what was to be declared from the answer.
        const result = await context.memory.view.change(by, lookUp).catch((error: unknown) => {
          context.warnOnce(`${name} has failed: ${messageOf(error)}`);
          throw error;
        });
        return answer(new messages.InvokeResponse(), (it) => it.setReturn(sendPlain(result)));
      });
    }),
  };

  const changes = {
    check: unary(async (request: messages.CheckRequest, take, sources) => {
      const [olds, news] = [take(request.getOlds()), take(request.getNews())];
      const call = callOf(request, sources);
      const { inputs, failures } = await front(call.urn).check(call, olds.values, news.values);
      return answer(new messages.CheckResponse(), (it) => {
        it.setInputs(send(inputs, news));
        for (const { property, reason } of failures) {
          const shown = withoutSecrets(reason, sources);
          it.addFailures(answer(new messages.CheckFailure(), (one) => one.setProperty(property).setReason(shown)));
        }
      });
    }),
    diff: unary(async (request: messages.DiffRequest, take, sources) => {
      const olds = take(request.getOlds());
      const [inputs, news] = [take(request.getOldInputs()), take(request.getNews())];
      const call = { ...callOf(request, sources), ignoreChanges: request.getIgnorechangesList() };
      const found = await front(call.urn).diff(call, request.getId(), olds.values, inputs.values, news.values);
      return diffResponse(found);
    }),
    create: unary(async (request: messages.CreateRequest, take, sources) => {
      const { values } = take(request.getProperties());
      const call = callOf(request, sources);
      const { id, outs } = await front(call.urn).create(call, values, request.getPreview());
      return answer(new messages.CreateResponse(), (it) => it.setId(id).setProperties(send(outs, ...sources)));
    }),
    update: unary(async (request: messages.UpdateRequest, take, sources) => {
      const olds = take(request.getOlds());
      const [inputs, news] = [take(request.getOldInputs()), take(request.getNews())];
      const call = callOf(request, sources);
      const { outs } = await front(call.urn).update(
        call,
        request.getId(),
        olds.values,
        inputs.values,
        news.values,
        request.getPreview(),
      );
      return answer(new messages.UpdateResponse(), (it) => it.setProperties(send(outs, olds, news)));
    }),
    read: unary(async (request: messages.ReadRequest, take, sources) => {
      const [props, inputs] = [take(request.getProperties()), take(request.getInputs())];
      const call = { ...callOf(request, sources), isImport: !request.hasInputs() };
      const seen = await front(call.urn).read(call, request.getId(), props.values, inputs.values);
      return answer(new messages.ReadResponse(), (it) => {
        it.setId(seen.id ?? "");
        if (seen.props !== undefined) it.setProperties(send(seen.props, ...sources));
        if (seen.inputs !== undefined) it.setInputs(send(seen.inputs, ...sources));
      });
    }),
    delete: unary(async (request: messages.DeleteRequest, take, sources) => {
      const [props, inputs] = [take(request.getProperties()), take(request.getOldInputs())];
      const call = callOf(request, sources);
      await front(call.urn).delete(call, request.getId(), props.values, inputs.values);
      return new Empty();
    }),
  };

  const isIdle = (): boolean => connected === undefined || connected.shared.calls.underWay === 0;
  return { methods: { ...configuration, ...changes }, cancel, isIdle };
}

function callOf(request: { getUrn(): string; getTimeout?(): number }, sources: readonly Received[]): HandlerCall {
  const seconds = request.getTimeout?.() ?? 0;
  const secrets = sources.flatMap(({ texts }) => texts);
  return { urn: request.getUrn(), limitMs: seconds > 0 ? seconds * 1_000 : undefined, secrets };
}

function answer<T>(message: T, fill: (message: T) => void): T {
  fill(message);
  return message;
}

function diffResponse(difference: DetailedDiff, keys?: readonly string[]): messages.DiffResponse {
  const { DiffChanges } = messages.DiffResponse;
  const { hasChanges, changes, replaces, deleteBeforeReplace } = difference;
  return answer(new messages.DiffResponse(), (it) => {
    it.setChanges(hasChanges ? DiffChanges.DIFF_SOME : DiffChanges.DIFF_NONE);
    it.setReplacesList([...replaces]);
    it.setDeletebeforereplace(deleteBeforeReplace);
    it.setDiffsList([...(keys ?? new Set(changes.map(({ path }) => path.split(".")[0] ?? "")))]);
    it.setHasdetaileddiff(changes.length > 0);
    for (const { path, kind, replaces: isReplacing } of changes) {
      const property = new messages.PropertyDiff();
      property.setKind(messages.PropertyDiff.Kind[isReplacing ? (`${KINDS[kind]}_REPLACE` as const) : KINDS[kind]]);
      property.setInputdiff(true);
      it.getDetaileddiffMap().set(path, property);
    }
  });
}

/** Takes values of a request. What is taken is a source of secrets: no error of the call shows them. */
type Take = (struct: Parameters<typeof receive>[0]) => Received;

function answering(receiveOne: Take) {
  return <Request, Response>(
    work: (request: Request, take: Take, sources: readonly Received[]) => Response | Promise<Response>,
  ) =>
    async (call: ServerUnaryCall<Request, Response>, callback: sendUnaryData<Response>): Promise<void> => {
      const sources: Received[] = [];
      const take: Take = (struct) => {
        const received = receiveOne(struct);
        sources.push(received);
        return received;
      };
      // A state that survives an error has the secrets of its call.
      const { failed, done } = await (async () => work(call.request, take, sources))().then(
        (response) => ({ failed: null, done: response }),
        (error: unknown) => ({ failed: failure(error, ...sources), done: null }),
      );
      callback(failed, done);
    };
}

/**
 * Pulumi: its default providers are named by their own version and address, where the program asks for one, and have the
 * settings of the stack. In YAML, which asks for no version, a program's own provider can have that name too.
 */
function isDefaultProvider(urn: string, { version, ...args }: Values, environment: ProcessEnvironment): boolean {
  const own = typeof version === "string" ? `default_${version.replaceAll(/\W/g, "_")}` : "default";
  const name = nameInUrn(urn);
  const ofStack = JSON.parse(environment["PULUMI_CONFIG"] ?? JSON.stringify(args)) as Values;
  const isOfStack = Object.entries(args).every(
    ([key, value]) => key === "__internal" || String(value) === String(ofStack[key]),
  );
  return isOfStack && (name === own || (version !== undefined && name.startsWith(`${own}_`)));
}
