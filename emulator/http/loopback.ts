// Under which names this machine may be asked.

/**
 * A web page can point a name of its own at this machine and send requests under it; an address, or `localhost`, it
 * cannot take over. The port says nothing: it may be forwarded.
 */
export function isLoopback(host: string | undefined): boolean {
  return host === undefined || /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(host);
}
