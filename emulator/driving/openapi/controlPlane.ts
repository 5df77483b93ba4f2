// The OpenAPI document of the control plane, generated from the tables that route and check its requests.

import type { Action, Offer } from "../../controlPlane/actions/action";
import { actions, operationsOf, type OperationName } from "../../controlPlane/actions/index";
import type { Switches } from "../../controlPlane/settings/switches";
import { answers, type AnswerForm } from "./answers";
import { bearerScheme, jsonContent, operationItem, pathsOf, schemaOf, type Json } from "./parts";
import { shapesFor } from "./shapes";

const contractTypes = ["SERIESDB", "POSTGRES", "VECTOR"];

interface Deployment {
  readonly baseUrl: string;
  readonly offers: readonly Offer[];
  readonly switches: Switches;
}

export function controlPlaneDocument({ baseUrl, offers, switches }: Deployment): Json {
  const types = [...new Set([...contractTypes, switches.timeSeriesType, switches.defaultServiceType])];
  const shapes = Object.entries(shapesFor(types)).map(([name, shape]) => [name, schemaOf(shape)] as const);
  return {
    openapi: "3.1.0",
    info: {
      title: "Managed PostgreSQL control plane, as the emulator serves it",
      version: "v1",
      description:
        "The operations, request shapes and success statuses of this emulator. Answers may carry further fields. " +
        "Operations with x-offer other than contract are offered by deployments, although the contract is silent about them.",
    },
    servers: [{ url: baseUrl }],
    security: [{ apiKey: [] }],
    paths: pathsOf(operationsOf(offers).map((name) => ({ ...actions[name], item: operationOf(name, actions[name]) }))),
    components: { securitySchemes: { apiKey: bearerScheme }, schemas: Object.fromEntries(shapes) },
  };
}

const operationOf = (name: OperationName, action: Action): Json =>
  operationItem(action, {
    operationId: name,
    "x-offer": action.offer,
    responses: { ...responsesOf(answers[name]), default: { description: "refused", content: content("Error") } },
  });

function responsesOf({ statuses, body }: AnswerForm): Json {
  const response = { description: "done, or begun", ...(body && { content: content(body) }) };
  return Object.fromEntries(statuses.map((status) => [String(status), response]));
}

function content(body: Exclude<AnswerForm["body"], undefined>): Json {
  const reference = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
  return jsonContent(typeof body === "string" ? reference(body) : { type: "array", items: reference(body.list) });
}
