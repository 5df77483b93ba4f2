// Operations that only profile `public` has: who the caller is, logging out, and usage reports, which are discarded.

import { z } from "zod";
import { get, postJson, type Answer, type Context } from "./action";

const offer = { offer: "public" } as const;
const properties = z.record(z.string(), z.unknown()).optional();
const logoutRequest = z.strictObject({ refresh_token: z.string().optional() }).optional();
const received = { status: 200, body: { status: "success" } };

export const account = {
  getAuthInfo: get("/auth/info", authInfo, offer),

  logout: postJson("/auth/logout", logoutRequest, () => ({ status: 204 }), { ...offer, isBodyOptional: true }),

  identifyUser: postJson("/analytics/identify", z.strictObject({ properties }), () => received, offer),

  trackEvent: postJson(
    "/analytics/track",
    z.strictObject({ event: z.string().min(1), properties }),
    () => received,
    offer,
  ),
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
