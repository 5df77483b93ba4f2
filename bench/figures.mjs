// From what was measured to what is compared: medians of repeated runs, lateness, requests, memory. Pure.

/** One scenario of one subject: the figures of each operation, medians where it was run several times. */
export function summarize(runs) {
  const operations = Object.keys(runs[0] ?? {});
  return Object.fromEntries(operations.map((name) => [name, summarizeOperation(runs.map((run) => run[name]))]));
}

function summarizeOperation(figures) {
  const [first] = figures;
  return {
    wallMs: median(figures.map(({ wallMs }) => wallMs)),
    cpuMs: median(figures.map(({ cpuMs }) => cpuMs)),
    peakBytes: median(figures.map(({ peakBytes }) => peakBytes)),
    stateBytes: first.stateBytes,
    requests: first.requests,
    lateMs: latenessOf(first),
  };
}

/** From "ready on the server" to "done in Pulumi", for each service that was created; ascending. */
function latenessOf({ created, ready }) {
  const late = Object.entries(created).map(([name, doneMs]) => doneMs - (ready[`${name}-bench`] ?? doneMs));
  return late.toSorted((a, b) => a - b);
}

export function median(values) {
  return quantile(
    values.toSorted((a, b) => a - b),
    0.5,
  );
}

/** The nearest rank; of ascending values. */
export function quantile(sorted, share) {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}

export function getsOf(requests) {
  const isGet = (operation) => /^(get|list)/.test(operation);
  return Object.entries(requests).reduce((sum, [operation, count]) => sum + (isGet(operation) ? count : 0), 0);
}

export function requestsOf(requests) {
  return Object.values(requests).reduce((sum, count) => sum + count, 0);
}

/** The largest the provider process ever was, in any of the commands. */
export function peakOf(summary) {
  return Math.max(...Object.values(summary).map(({ peakBytes }) => peakBytes));
}
