// What `hearth serve` prints when it listens.

import { socketPathOf } from '../../base/net/socket-path.ts';

interface StartTextOptions {
  /** The URL of the server. */
  readonly address: string;
  /** The address of the setting. */
  readonly host: string;
  /** Requests need a key. */
  readonly requiresKey: boolean;
  /** The address opens a page in browsers. */
  readonly page: boolean;
  /** A model to try; undefined if there is none. */
  readonly model: string | undefined;
  /** The authority that curl must be told to trust; undefined without TLS, and if its certificate is public. */
  readonly caFile?: string | undefined;
}

export function startText({ host, ...options }: StartTextOptions): string {
  const { address, requiresKey } = options;
  const everywhere = listensEverywhere(host) ? ' and on all interfaces' : '';
  const who = describeCallers(everywhere !== '', requiresKey);
  const browser = options.page && socketPathOf(address) === undefined ? `Open ${address} in a browser to chat.\n` : '';
  return `Hearth is listening on ${address}${everywhere}${who}\n${browser}\n${tryText(options)}`;
}

/** `0.0.0.0`, `::` and their other spellings. */
export function listensEverywhere(host: string): boolean {
  return /^[0:.]+$/.test(host);
}

function describeCallers(everywhere: boolean, requiresKey: boolean): string {
  if (requiresKey) return '; every request needs a key';
  return everywhere ? ': everyone on the network can use it, because it has no keys' : '';
}

function tryText({ address, requiresKey, model, caFile }: Omit<StartTextOptions, 'host'>): string {
  if (model === undefined)
    return 'There is no model yet. Get one:\n  hearth pull ember\nFind others:\n  hearth search\n';
  const body = JSON.stringify({ model, prompt: 'Why is the sky blue?' })
    .replaceAll('":', '": ')
    .replaceAll(',"', ', "');
  const key = requiresKey ? ' -H "Authorization: Bearer $HEARTH_API_KEY"' : '';
  const trust = caFile === undefined ? '' : `--cacert ${caFile} `;
  const socket = socketPathOf(address);
  const url = socket === undefined ? address : `--unix-socket ${socket} http://localhost`;
  return `Try it:\n  curl ${trust}${url}/api/generate${key} -d '${body}'\n`;
}
