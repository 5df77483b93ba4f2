// A dynamic provider as most people write their first one: an object of functions that Pulumi serializes into the state,
// `fetch` for each call, and a poll of its own for each resource every second. It shows what the shared eyes save, and
// is no model: it repeats creates blindly, believes the first READY, and takes every 404 for "gone".
"use strict";

const pulumi = require("@pulumi/pulumi");

const services = () => `${process.env.DBCLOUD_BASE_URL}/projects/${process.env.DBCLOUD_PROJECT_ID}/services`;

async function api(method, url, body) {
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${process.env.DBCLOUD_API_KEY}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (response.status === 404) return undefined;
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`);
  const text = await response.text();
  return text === "" ? {} : JSON.parse(text);
}

async function waitUntil(id, isDone) {
  for (;;) {
    const service = await api("GET", `${services()}/${id}`);
    if (isDone(service)) return service;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

const naiveProvider = {
  async create(inputs) {
    const made = await api("POST", services(), {
      name: inputs.name,
      region_code: inputs.regionCode,
      addons: inputs.addons,
      cpu_millis: String(inputs.cpuMillis),
      memory_gbs: String(inputs.memoryGbs),
      environment_tag: inputs.environment,
    });
    const service = await waitUntil(made.service_id, (found) => found?.status === "READY");
    return { id: made.service_id, outs: { ...inputs, ...service, initialPassword: made.initial_password } };
  },
  async read(id, props) {
    const service = await api("GET", `${services()}/${id}`);
    return service === undefined ? {} : { id, props: { ...props, ...service } };
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

class NaiveService extends pulumi.dynamic.Resource {
  constructor(name, args) {
    super(naiveProvider, name, { ...args, name: `${name}-bench` });
  }
}

exports.NaiveService = NaiveService;
