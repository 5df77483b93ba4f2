// The errors that end a program: Pulumi shows their message alone, without a stack.

import * as pulumi from "@pulumi/pulumi";
import type { ErrorName } from "../domain/errorName";

export function programError(errorName: ErrorName, message: string): pulumi.RunError {
  // The same line as in `domain/errors.ts`: this layer imports types only.
  const error = new pulumi.RunError(`${message}\nMore: npx pulumi-dbcloud explain ${errorName}`);
  // Nobody sees it. Pulumi: formats it all the same, and Node.js 22 takes half a minute for the frames of `@pulumi/pulumi`.
  error.stack = String(error);
  return error;
}
