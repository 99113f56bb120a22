// Clients with other addresses. Linux accepts connections from every address of 127.0.0.0/8 without configuration.

import { Agent, fetch as fetchWith } from 'undici';

/** A fetch whose connections come from this address. */
export function fetchFrom(localAddress: string): typeof fetch {
  const dispatcher = new Agent({ localAddress, headersTimeout: 0, bodyTimeout: 0 });
  return ((input: string, init: object = {}) => fetchWith(input, { ...init, dispatcher })) as unknown as typeof fetch;
}
