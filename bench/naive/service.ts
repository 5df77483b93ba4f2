// A dynamic provider like most first attempts: an object of functions that Pulumi serializes into the state, `fetch`
// for each call, and a separate poll for each resource every second. It shows what shared reads save, and is not an
// example: it repeats creates blindly, trusts the first READY, and takes every 404 for "gone".

import * as pulumi from "@pulumi/pulumi";
import type { ServiceArgs } from "pulumi-dbcloud";

interface Inputs {
  name: string;
  regionCode: string;
  addons: string[];
  cpuMillis: number;
  memoryGbs: number;
  environment: string;
}

interface WireService {
  service_id: string;
  status: string;
  initial_password?: string;
}

type Outputs = Inputs & Partial<WireService> & { initialPassword?: string | undefined };

const services = (): string =>
  `${process.env["DBCLOUD_BASE_URL"]}/projects/${process.env["DBCLOUD_PROJECT_ID"]}/services`;

async function api(method: string, url: string, body?: object): Promise<WireService | undefined> {
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${process.env["DBCLOUD_API_KEY"]}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (response.status === 404) return undefined;
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}`);
  return JSON.parse(text === "" ? "{}" : text) as WireService;
}

async function waitUntil(
  id: string,
  isDone: (service: WireService | undefined) => boolean,
): Promise<WireService | undefined> {
  for (;;) {
    const service = await api("GET", `${services()}/${id}`);
    if (isDone(service)) return service;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

const naiveProvider: pulumi.dynamic.ResourceProvider<Inputs, Outputs> = {
  async create(inputs) {
    const made = await api("POST", services(), {
      name: inputs.name,
      region_code: inputs.regionCode,
      addons: inputs.addons,
      cpu_millis: String(inputs.cpuMillis),
      memory_gbs: String(inputs.memoryGbs),
      environment_tag: inputs.environment,
    });
    if (made === undefined) throw new Error("there is no such project");
    const service = await waitUntil(made.service_id, (found) => found?.status === "READY");
    return { id: made.service_id, outs: { ...inputs, ...service, initialPassword: made.initial_password } };
  },
  async read(id, props) {
    const service = await api("GET", `${services()}/${id}`);
    return service === undefined || props === undefined ? {} : { id, props: { ...props, ...service } };
  },
  async update(id, olds, news) {
    const size = { cpu_millis: String(news.cpuMillis), memory_gbs: String(news.memoryGbs) };
    await api("POST", `${services()}/${id}/resize`, size);
    const service = await waitUntil(id, (found) => found?.status === "READY");
    return { outs: { ...olds, ...news, ...service } };
  },
  async delete(id) {
    await api("DELETE", `${services()}/${id}`);
    await waitUntil(id, (found) => found === undefined);
  },
};

export class NaiveService extends pulumi.dynamic.Resource {
  constructor(name: string, args: ServiceArgs) {
    super(naiveProvider, name, { ...args, name: `${name}-bench` });
  }
}
