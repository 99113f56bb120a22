// Requests to the provider: no redirects, bounded sizes, and never in the clear over a network.

import { isPrivateTransport } from '../../../base/config/sign-in-kinds.ts';

const maxBytes = 512 * 1024;

export async function boundedFetch(url: string, options: RequestInit): Promise<Response> {
  if (!isPrivateTransport(new URL(url))) throw new TypeError('the provider names an address without TLS');
  const response = await fetch(url, { ...options, redirect: 'manual' });
  const { status } = response;
  const headers = new Headers(response.headers);
  const body = await readBody(response);
  // The body is not compressed any more.
  for (const name of ['content-encoding', 'content-length', 'transfer-encoding']) headers.delete(name);
  const isEmpty = status === 204 || status === 205 || status === 304;
  return new Response(isEmpty ? null : body, { status, headers });
}

async function readBody({ body }: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new TypeError(`the provider has sent more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
