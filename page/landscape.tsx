// The network as boxes in boxes: VPCs, the services in them, their replica sets; then what is in no VPC.

import { useState } from "preact/hooks";
import { type Model, type Net, type Network, sizeOf, textOf, type Tone, wordOf, worstOf } from "./model";
import { addressOf, ObjectLink, Windowed } from "./parts";
import type { PageFinding, PageObject } from "./schema";

interface LandscapeProps {
  model: Model;
  network: Network;
  /** Only objects with such a finding. */
  tone: Tone | undefined;
}

/** From here on a search is worth its place. */
const MANY = 30;
/** So many are drawn at once, wherever they are. */
const SMALL = 100;

export function Landscape({ model, network, tone }: LandscapeProps) {
  const [search, setSearch] = useState("");
  const { findingsOf, setsOf } = network;
  const words = search.toLowerCase();
  const isSought = (object: PageObject): boolean =>
    (tone === undefined || worstOf(findingsOf.get(object.key) ?? []) === tone) &&
    `${object.name} ${object.id}`.toLowerCase().includes(words);
  const isShown = (object: PageObject): boolean =>
    isSought(object) || (setsOf.get(object.key) ?? []).some((set) => isSought(set));
  const isAll = tone === undefined && words === "";
  const nets = network.nets
    .map((net) => ({ ...net, services: isAll ? net.services : net.services.filter(isShown) }))
    .filter(({ vpc, services }) => isAll || services.length > 0 || (vpc !== undefined && isShown(vpc)));
  return (
    <section class="land" aria-label="Landscape">
      {model.objects.size >= MANY && (
        <label class="search">
          Find <input type="search" value={search} onInput={(event) => setSearch(event.currentTarget.value)} />
        </label>
      )}
      {model.objects.size === 0 && <p class="empty">There is nothing yet. What a program creates appears here.</p>}
      {model.objects.size > 0 && nets.length === 0 && <p class="empty">Nothing fits.</p>}
      {nets.map((net, index) => (
        <NetBox
          key={net.vpc?.key ?? ""}
          net={net}
          network={network}
          isFirst={index === 0 || model.objects.size < SMALL}
        />
      ))}
      {model.objects.size > 0 && <Legend />}
    </section>
  );
}

interface NetBoxProps {
  net: Net;
  network: Network;
  isFirst: boolean;
}

function NetBox({ net: { vpc, services, peerings }, network, isFirst }: NetBoxProps) {
  const [isOpen, setOpen] = useState(true);
  const findings = vpc === undefined ? [] : (network.findingsOf.get(vpc.key) ?? []);
  const worst = worstOf(findings);
  const count = `${services.length} ${services.length === 1 ? "service" : "services"}`;
  const about = [count, vpc?.properties["regionCode"], ...managersOf(vpc)].filter(Boolean).join(" · ");
  return (
    <section class={`${vpc === undefined ? "out" : "net"} ${worst ?? ""}`} aria-label={nameOfNet(vpc, worst)}>
      <h2>
        <button type="button" class="fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <span aria-hidden="true">{isOpen ? "▾" : "▸"}</span>
          <span class="unseen">{vpc?.name ?? "No VPC"}: what is in it</span>
        </button>
        {vpc === undefined ? <span>No VPC</span> : <ObjectLink object={vpc} />}
        {vpc !== undefined && <code>{textOf(vpc.properties["cidr"] ?? "")}</code>}
        {vpc !== undefined && <code>{vpc.id}</code>}
        <small>{about}</small>
        <Mark worst={worst} />
        {vpc !== undefined && vpc.condition !== "settled" && <Status object={vpc} />}
      </h2>
      <Changes findings={findings} />
      {isOpen && (
        <Windowed items={services} class="row" rowPx={110} isFirst={isFirst}>
          {(service) => <Card key={service.key} service={service} network={network} />}
        </Windowed>
      )}
      {isOpen && peerings.map((peering) => <PeeringLine key={peering.key} peering={peering} network={network} />)}
    </section>
  );
}

const nameOfNet = (vpc: PageObject | undefined, worst: Tone | undefined): string =>
  vpc === undefined ? "No VPC" : withWord(`VPC ${vpc.name}`, worst);

const withWord = (name: string, worst: Tone | undefined): string =>
  worst === undefined ? name : `${name}, ${wordOf(worst)}`;

/** Its stacks; with the name in the program where that is another one. */
export const managersOf = (object: PageObject | undefined): string[] =>
  (object?.managedBy ?? []).map(({ stack, resource }) =>
    resource === object?.name ? stack : `${resource} of ${stack}`,
  );

function Card({ service, network }: { service: PageObject; network: Network }) {
  const { findingsOf, setsOf, sourceOf } = network;
  const findings = findingsOf.get(service.key) ?? [];
  const worst = worstOf(findings);
  const sets = setsOf.get(service.key) ?? [];
  const source = sourceOf.get(service.key);
  const { environment, poolerEnabled, deletionProtection } = service.properties;
  const tags = [
    sizeOf(service),
    poolerEnabled === true ? "pooler" : "",
    deletionProtection === true ? "protected" : "",
    ...managersOf(service),
  ].filter(Boolean);
  return (
    <article class={`svc ${worst ?? ""}`} aria-label={withWord(`Service ${service.name}, ${service.status}`, worst)}>
      <h3 class="name">
        <a href={addressOf(service)}>{service.name}</a> <code>{service.id}</code>
        <Status object={service} />
      </h3>
      <div class="tags">
        {environment !== undefined && (
          <span class={environment === "PROD" ? "tag prod" : "tag"}>{textOf(environment)}</span>
        )}
        {tags.map((tag) => (
          <span key={tag} class="tag">
            {tag}
          </span>
        ))}
        <Mark worst={worst} />
      </div>
      <Changes findings={findings} />
      <Nodes service={service} />
      {source !== undefined && (
        <div class="from">
          fork of <ObjectLink object={source} />
        </div>
      )}
      {sets.length > 0 && (
        <div class="sets">
          {sets.map((set) => (
            <SetLine key={set.key} set={set} findings={findingsOf.get(set.key) ?? []} />
          ))}
        </div>
      )}
    </article>
  );
}

export const Status = ({ object: { status, condition } }: { object: PageObject }) => (
  <span class={`st ${condition}`}>{status}</span>
);

/** A word beside the colour. */
export const Mark = ({ worst }: { worst: Tone | undefined }) =>
  worst === undefined ? null : <span class={`mark ${worst}`}>{wordOf(worst)}</span>;

/** As many squares as there are nodes; more than this are only counted. */
const MOST_NODES = 8;

function Nodes({ service: { properties } }: { service: PageObject }) {
  const all = Number(properties["replicaCount"] ?? 0);
  const sync = Number(properties["syncReplicaCount"] ?? 0);
  const standbys = all === 0 ? "" : `, ${all} ${all === 1 ? "standby" : "standbys"}`;
  return (
    <div class="nodes">
      <i />
      {Array.from({ length: Math.min(all, MOST_NODES) }, (_, index) => (
        <i key={index} class="by" />
      ))}{" "}
      primary{standbys}
      {sync > 0 && ` (${sync} synchronous)`}
    </div>
  );
}

function SetLine({ set, findings }: { set: PageObject; findings: readonly PageFinding[] }) {
  const nodes = Number(set.properties["nodes"] ?? 1);
  const worst = worstOf(findings);
  return (
    <div class="setbox" role="group" aria-label={withWord(`Read replica set ${set.name}, ${set.status}`, worst)}>
      <div class="set">
        <span class="nodes">
          {Array.from({ length: Math.min(nodes, MOST_NODES) }, (_, index) => (
            <i key={index} class="ro" />
          ))}
        </span>
        <ObjectLink object={set} />
        <code>
          {nodes} × {sizeOf(set)}
        </code>
        <Mark worst={worst} />
        <Status object={set} />
      </div>
      <Changes findings={findings} />
    </div>
  );
}

function PeeringLine({ peering, network }: { peering: PageObject; network: Network }) {
  const { peerAccountId, peerRegionCode, errorMessage } = peering.properties;
  const findings = network.findingsOf.get(peering.key) ?? [];
  const worst = worstOf(findings);
  return (
    <div class="peer" role="group" aria-label={withWord(`Peering ${peering.name}, ${peering.status}`, worst)}>
      <span>
        peered with AWS <ObjectLink object={peering} /> in {textOf(peerAccountId)}, {textOf(peerRegionCode)} ·{" "}
        {peering.status}
        {typeof errorMessage === "string" && `: ${errorMessage}`}
      </span>
      <Mark worst={worst} />
      <Changes findings={findings} />
    </div>
  );
}

/** What differs, by property. */
export function Changes({ findings }: { findings: readonly PageFinding[] }) {
  const changes = findings.filter(({ property, category }) => property !== undefined && category !== "unmanaged");
  if (changes.length === 0) return null;
  return (
    <dl class="change">
      {changes.map(({ property, program, live }) => (
        <div key={property}>
          <dt>{property}</dt>
          <dd>
            <s>{textOf(program)}</s> → {textOf(live)}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const tones: readonly Tone[] = ["drift", "attention", "unmanaged"];

const Legend = () => (
  <div class="legend" role="group" aria-label="Legend">
    {tones.map((tone) => (
      <span key={tone}>
        <i class={`sw ${tone}`} />
        {wordOf(tone)}
      </span>
    ))}
    <span class="nodes">
      <i /> primary
    </span>
    <span class="nodes">
      <i class="by" /> standby
    </span>
    <span class="nodes">
      <i class="ro" /> read replica
    </span>
  </div>
);
