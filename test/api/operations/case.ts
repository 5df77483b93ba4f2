import type { Client } from "../../../provider/client";

/** One call of an operation: what it must send, what the server answers, and what the caller must get. */
export interface Case {
  operation: string;
  call: (client: Client) => Promise<unknown>;
  sends: [method: string, path: string, body?: unknown];
  answers?: unknown;
  gives?: unknown;
}
