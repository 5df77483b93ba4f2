// What each operation of projects, VPCs and peerings sends and gives.

import { inProject } from "../../support/client";
import { peering, vpc, wirePeering, wireVpc } from "../fixtures";
import type { Case } from "./case";

const ofVpc = { ...inProject, vpcId: "77" };
const peer = { peerAccountId: "123456789012", peerRegionCode: "eu-west-1", peerVpcId: "vpc-0aa" };
const vpcs = "/v1/projects/prj0000001/vpcs";
const message = { message: "ok" };

export const networkCases: Case[] = [
  {
    operation: "getProjects",
    call: (client) => client.projects.list(),
    sends: ["GET", "/v1/projects"],
    answers: [{ id: "prj0000001", name: "shop", plan: "unheard of" }],
    gives: [{ id: "prj0000001", name: "shop" }],
  },
  {
    operation: "listVpcs",
    call: (client) => client.vpcs.list(inProject),
    sends: ["GET", vpcs],
    answers: [wireVpc, { ...wireVpc, id: "78", status: "CREATING" }],
    gives: [vpc, { ...vpc, vpcId: "78", status: "CREATING" }],
  },
  {
    operation: "getVpc",
    call: (client) => client.vpcs.get(ofVpc),
    sends: ["GET", `${vpcs}/77`],
    answers: wireVpc,
    gives: vpc,
  },
  {
    operation: "createVpc",
    call: (client) => client.vpcs.create({ ...inProject, cidr: "10.1.0.0/24", name: "main", regionCode: "us-east-1" }),
    sends: ["POST", vpcs, { cidr: "10.1.0.0/24", name: "main", region_code: "us-east-1" }],
    answers: wireVpc,
    gives: { id: "77", value: vpc },
  },
  { operation: "deleteVpc", call: (client) => client.vpcs.delete(ofVpc), sends: ["DELETE", `${vpcs}/77`] },
  {
    operation: "renameVpc",
    call: (client) => client.vpcs.rename({ ...ofVpc, name: "core" }),
    sends: ["POST", `${vpcs}/77/rename`, { name: "core" }],
    answers: message,
  },
  {
    operation: "listPeerings",
    call: (client) => client.peerings.list(ofVpc),
    sends: ["GET", `${vpcs}/77/peerings`],
    answers: [wirePeering],
    gives: [peering],
  },
  {
    operation: "getPeering",
    call: (client) => client.peerings.get({ ...ofVpc, peeringId: "901" }),
    sends: ["GET", `${vpcs}/77/peerings/901`],
    answers: { ...wirePeering, status: "failed", error_message: "no such account" },
    gives: { ...peering, status: "failed", errorMessage: "no such account" },
  },
  {
    operation: "createPeering",
    call: (client) => client.peerings.create({ ...ofVpc, ...peer }),
    sends: [
      "POST",
      `${vpcs}/77/peerings`,
      { peer_account_id: "123456789012", peer_region_code: "eu-west-1", peer_vpc_id: "vpc-0aa" },
    ],
    answers: wirePeering,
    gives: { id: "901", value: peering },
  },
  {
    operation: "deletePeering",
    call: (client) => client.peerings.delete({ ...ofVpc, peeringId: "901" }),
    sends: ["DELETE", `${vpcs}/77/peerings/901`],
  },
];
