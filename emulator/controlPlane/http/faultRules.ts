// Chooses the fault of each request.

import type { Fault, FaultHandle, FaultRule, Faults, FaultScope } from "./faults";
import { randomRule } from "./randomFaults";
import type { RequestRecord } from "./requests";

export interface FaultRules {
  readonly faults: Faults;
  /** The fault of this request, if any: of several that match, the one added first. */
  choose(record: RequestRecord): Fault | undefined;
  isDown(now: number): boolean;
}

export function createFaultRules(now: () => number, onDown: () => void): FaultRules {
  const rules = new Map<string, FaultRule>();
  let count = 0;
  const enter = (rule: FaultRule): FaultHandle => {
    count += 1;
    const id = `fault-${count}`;
    rules.set(id, rule);
    return {
      id,
      get struck() {
        return rule.struck;
      },
      remove: () => void rules.delete(id),
    };
  };
  const faults: Faults = {
    add(fault) {
      const handle = enter(fault.kind === "down" ? downRule(fault, now()) : scopedRule(fault));
      if (fault.kind === "down") onDown();
      return handle;
    },
    random: (options) => enter(randomRule(options)),
    list: () => [...rules].map(([id, { kind, operation, struck }]) => ({ id, kind, operation, struck })),
    remove: (id) => rules.delete(id),
    clear: () => rules.clear(),
  };
  return {
    faults,
    choose: (record) => chooseFrom(rules.values(), record),
    isDown: (at) => [...rules.values()].some((rule) => rule.isDown(at)),
  };
}

function chooseFrom(rules: Iterable<FaultRule>, record: RequestRecord): Fault | undefined {
  for (const rule of rules) {
    const fault = rule.choose(record);
    if (!fault) continue;
    rule.struck += 1;
    return fault;
  }
  return undefined;
}

function downRule(fault: { ms?: number }, since: number): FaultRule {
  const until = since + (fault.ms ?? Infinity);
  return { kind: "down", struck: 0, choose: () => undefined, isDown: (now) => now < until };
}

function scopedRule(fault: FaultScope & Fault): FaultRule {
  let toSkip = fault.skip ?? 0;
  let left = fault.times ?? 1;
  return {
    kind: fault.kind,
    operation: fault.operation === "*" ? undefined : fault.operation,
    struck: 0,
    isDown: () => false,
    choose(record) {
      const isMeant = fault.operation === undefined || fault.operation === "*" || fault.operation === record.operation;
      if (left <= 0 || !isMeant || fault.match?.(record) === false) return undefined;
      if (toSkip > 0) {
        toSkip -= 1;
        return undefined;
      }
      left -= 1;
      return fault;
    },
  };
}
