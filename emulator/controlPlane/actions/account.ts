// Projects, which every caller has; and the operations that only profile `public` has: who the caller is, logging out,
// and usage reports, which are discarded.

import { z } from "zod";
import { projectWire } from "../wire/objects";
import { get, paths, postJson, type Answer, type Context } from "./action";

const offer = { offer: "public" } as const;
const report = { ...offer, statuses: [200] };
const properties = z.record(z.string(), z.unknown()).optional();
const logoutRequest = z.strictObject({ refresh_token: z.string().optional() }).optional();
const event = z.strictObject({ event: z.string().min(1), properties });
const received = { status: 200, body: { status: "success" } };

export const account = {
  /** A PAT sees the one project it is scoped to, an OAuth user all of the user's projects. */
  getProjects: get(paths.projects, ({ world, caller }) => {
    const visible = world.projects.filter((project) => caller.projectIds.includes(project.id));
    return { status: 200, body: visible.map((project) => projectWire(world, project)) };
  }),

  getAuthInfo: get("/auth/info", authInfo, offer),

  logout: postJson("/auth/logout", logoutRequest, () => ({ status: 204 }), {
    ...offer,
    isBodyOptional: true,
    statuses: [204],
  }),

  identifyUser: postJson("/analytics/identify", z.strictObject({ properties }), () => received, report),

  trackEvent: postJson("/analytics/track", event, () => received, report),
};

function authInfo({ caller, project }: Context): Answer {
  const user = { id: "1", name: "Emulator User", email: "user@emulator.example" };
  if (caller.kind === "oauth") return { status: 200, body: { type: "oauth", oauth: { user } } };
  const apiKey = {
    public_key: caller.label,
    name: caller.label,
    created: new Date(0).toISOString(),
    project: { id: project.id, name: project.name, plan_type: "PAID" },
    issuing_user: user,
  };
  return { status: 200, body: { type: "apiKey", api_key: apiKey, apiKey } };
}
