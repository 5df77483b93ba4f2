// Operations that the contract does not document, so that a server may lack them. In that case nothing is changed, and the
// error names a remedy.

import { ApiError, RefusedError } from "../../domain/errors";
import type { Target } from "../resources/observation";

/** The error of a failed call, reworded if it most likely means that the server has no such route. */
export async function explainAbsence(
  { resource, session, id, scope, label }: Target,
  operation: string,
  remedy: string | undefined,
  error: unknown,
): Promise<unknown> {
  if (remedy === undefined || !(error instanceof ApiError)) return error;
  if (error.category === "forbidden") {
    // API: an account plan without the operation gets the same answer as a key without the permission.
    return new RefusedError(
      `${operation} of ${label}: ${error.message}`,
      `${error.hint ?? ""} If the key is in order, this server or plan does not offer it: ${remedy}`.trim(),
    );
  }
  const isRouteMissing =
    error.category === "absentRoute" ||
    (error.category === "notFound" && (await resource.reader(session, scope).get(id)) !== undefined);
  if (!isRouteMissing) return error;
  return new RefusedError(
    `${operation} of ${label}: this server does not offer it (${error.status}); nothing was changed`,
    remedy,
  );
}
