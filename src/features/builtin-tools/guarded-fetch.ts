// GET requests to addresses that a model or a page names. Every byte that comes back is hostile, and no request may reach
// the machine of the server or its network.

import { Agent, request } from 'undici';
import { badRequest, HearthError, messageOf } from '../../base/errors.ts';
import { createGuardedLookup } from '../../base/net/guarded-lookup.ts';
import { isAddress, isWithinReach, type Reach } from '../../base/net/private-address.ts';

interface FetchLimits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly maxRedirects: number;
  /** The most private addresses that are allowed. */
  readonly reach: Reach;
  readonly accept: string;
}

interface FetchedPage {
  /** After redirects. */
  readonly url: URL;
  /** Lower case, without parameters. */
  readonly contentType: string;
  readonly bytes: Buffer;
}

const connectTimeoutMs = 10_000;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export async function fetchGuarded(address: URL, signal: AbortSignal, limits: FetchLimits): Promise<FetchedPage> {
  const { reach, timeoutMs, maxRedirects } = limits;
  const refuse = (host: string): HearthError => new HearthError('forbidden', `${host} is an internal address`);
  const agent = new Agent({ connect: { lookup: createGuardedLookup({ reach, refuse }), timeout: connectTimeoutMs } });
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  try {
    let url = address;
    for (let count = 0; count <= maxRedirects; count += 1) {
      checkAddress(url, reach, refuse);
      const next = await get(url, agent, bounded, limits);
      if (!(next instanceof URL)) return next;
      url = next;
    }
    throw badRequest(`there are more than ${maxRedirects} redirects`);
  } catch (error) {
    signal.throwIfAborted();
    if (bounded.aborted) throw badRequest(`there was no answer within ${timeoutMs / 1000} s`);
    if (error instanceof HearthError) throw error;
    const { cause } = error as { readonly cause?: unknown };
    throw cause instanceof HearthError ? cause : badRequest(messageOf(error));
  } finally {
    void agent.destroy();
  }
}

function checkAddress(url: URL, reach: Reach, refuse: (host: string) => Error): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw badRequest('only http and https are allowed');
  if (url.username !== '' || url.password !== '') throw badRequest('the address must not contain a password');
  // A lookup is not asked about an address.
  if (isAddress(url.hostname) && !isWithinReach([url.hostname], reach)) throw refuse(url.hostname);
}

/** The page, or where it is. */
async function get(url: URL, agent: Agent, signal: AbortSignal, limits: FetchLimits): Promise<FetchedPage | URL> {
  // The server could not decompress a response within bounds, so that it asks for none.
  const headers = { accept: limits.accept, 'accept-encoding': 'identity', 'user-agent': 'Hearth' };
  const { statusCode, headers: received, body } = await request(url, { dispatcher: agent, signal, headers });
  body.on('error', () => {});
  const location = received['location'];
  if (redirects.has(statusCode) && location !== undefined) {
    body.destroy();
    return toUrl(String(location), url);
  }
  if (statusCode !== 200) {
    body.destroy();
    throw badRequest(`the answer has status ${statusCode}`);
  }
  if (received['content-encoding'] !== undefined && received['content-encoding'] !== 'identity') {
    body.destroy();
    throw badRequest('the answer is compressed');
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.length;
    // The loop destroys the body.
    if (length > limits.maxBytes) throw badRequest(`the answer has more than ${limits.maxBytes / 2 ** 20} MiB`);
    chunks.push(chunk);
  }
  const [type = ''] = String(received['content-type'] ?? '').split(';');
  return { url, contentType: type.trim().toLowerCase(), bytes: Buffer.concat(chunks) };
}

export function toUrl(text: string, base?: URL): URL {
  if (!URL.canParse(text, base?.href)) throw badRequest('the address is not valid');
  return new URL(text, base);
}
