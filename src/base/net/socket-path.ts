// Paths of Unix sockets, and the addresses that name them: unix:/run/hearth.sock.

const scheme = 'unix:';

/** Systems cut a longer path off without an error. */
export const maxSocketPathBytes = process.platform === 'darwin' ? 103 : 107;

export function toSocketUrl(path: string): string {
  return `${scheme}${path}`;
}

/** Undefined if the server is reached over the network. */
export function socketPathOf(url: string): string | undefined {
  return url.startsWith(scheme) ? url.slice(scheme.length) : undefined;
}

/** What names a server in files and messages: its host and port, or the address of its socket. */
export function serverNameOf(url: string): string {
  return socketPathOf(url) === undefined ? new URL(url).host : url;
}
