// The host names under which this machine may be called.

/**
 * A web page can resolve its own host name to this machine and send requests under it, but it cannot take over an
 * address or `localhost`. The port is not checked: it may be forwarded.
 */
export function isLoopback(host: string | undefined): boolean {
  return host === undefined || /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(host);
}
