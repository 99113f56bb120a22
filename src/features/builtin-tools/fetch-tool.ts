// The tool `fetch`: a page of the internet as text. The process that reads documents makes text of it, in its sandbox.

import { badRequest } from '../../base/errors.ts';
import type { Reach } from '../../base/net/private-address.ts';
import { currentRequest } from '../../base/request/request-scope.ts';
import type { InternalRequests } from '../../server/http/internal-requests.ts';
import { type BuiltinTool, maxResultLength } from './builtin-tool.ts';
import { fetchGuarded, toUrl } from './guarded-fetch.ts';

/** The name that the reader of documents gets, by the type of the page. */
const readable: Readonly<Record<string, string>> = {
  'text/html': 'page.html',
  'application/xhtml+xml': 'page.html',
  'application/pdf': 'page.pdf',
};
const plain = /^(?:text\/[\w.+-]{1,40}|application\/(?:json|xml|[\w.-]{1,40}\+(?:json|xml)))$/;

const limits = { maxBytes: 4 * 2 ** 20, timeoutMs: 20_000, maxRedirects: 5 };

/** `reach`: the most private addresses that pages may have. */
export function createFetchTool(requests: Pick<InternalRequests, 'send'>, reach: Reach = 'public'): BuiltinTool {
  const read = async (name: string, bytes: Buffer, signal: AbortSignal): Promise<string> => {
    const { client = 'builtin', key, partition } = currentRequest() ?? {};
    const sender = { keyId: key?.id, client, partition };
    const path = `/api/documents/text?name=${name}`;
    const { status, body } = await requests.send({ path, body: bytes, sender, signal });
    const { text, error } = JSON.parse(body) as { readonly text?: string; readonly error?: string };
    if (status !== 200 || text === undefined) throw badRequest(error ?? `the page cannot be read (${status})`);
    return text;
  };
  return {
    name: 'fetch',
    description: 'Fetches a page or a file from the internet and returns its text.',
    inputSchema: {
      type: 'object',
      properties: {
        url: { type: 'string', description: 'Address, with http:// or https://.' },
        start: { type: 'integer', minimum: 0, description: 'Where to begin in the text, to read on; default 0.' },
      },
      required: ['url'],
    },
    async call({ url, start }, signal) {
      if (typeof url !== 'string' || url.length > maxAddressLength) throw badRequest('url must be an address');
      const page = await fetchGuarded(toUrl(url), signal, { ...limits, reach, accept: 'text/html, text/*, */*;q=0.5' });
      const name = readable[page.contentType];
      if (name === undefined && !plain.test(page.contentType))
        throw badRequest(`the type ${JSON.stringify(page.contentType.slice(0, 100))} has no text`);
      const text = name === undefined ? page.bytes.toString('utf8') : await read(name, page.bytes, signal);
      return toPart(text, typeof start === 'number' && start > 0 ? Math.floor(start) : 0);
    },
  };
}

const maxAddressLength = 4096;

function toPart(text: string, start: number): string {
  const part = text.slice(start, start + maxResultLength);
  const end = start + part.length;
  return end < text.length ? `${part}\n[${text.length - end} more characters; start: ${end}]` : part;
}
