// Searches Hugging Face for GGUF models. Everything that it sends is hostile: the body is bounded, names must be names, and
// texts are short.

import { HearthError, messageOf } from '../../base/errors.ts';
import { JsonScanner } from '../../base/text/json-scanner.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { ClientTls } from '../../base/tls/client-context.ts';
import { createHttpClient } from '../../models/registry-client/http/http-client.ts';
import type { ProxySettings } from '../../models/registry-client/http/proxy-settings.ts';
import { readBoundedBody } from '../../models/registry-client/http/read-response.ts';
import type { ModelFamily } from './catalogue.ts';

interface HubOptions {
  readonly endpoint: string;
  readonly version: string;
  readonly proxy: ProxySettings;
  readonly tls?: ClientTls;
  readonly clock: Clock;
}

export type SearchHub = (query: string, signal: AbortSignal) => Promise<readonly ModelFamily[]>;

const timeLimitMs = 8000;
// Twenty models have about 300 KB with their chat templates.
const maxAnswerBytes = 4 * 2 ** 20;
const maxAnswerValues = 50_000;
const maxModels = 20;
const maxLicenseCharacters = 60;
// A plain pull gets four bits per weight, with some tensors in more.
const bytesPerWeight = 0.6;
const maxParameters = 1e13;

export function createSearchHub({ endpoint, version, proxy, tls, clock }: HubOptions): SearchHub {
  return async (query, signal) => {
    const expired = new AbortController();
    const timer = clock.after(timeLimitMs, () => expired.abort());
    const client = createHttpClient({ version, clock, proxy, tls });
    const url = searchUrl(endpoint, query);
    try {
      const response = await client.send({
        method: 'GET',
        url,
        headers: { accept: 'application/json' },
        destination: { kind: 'named', addresses: [] },
        signal: AbortSignal.any([signal, expired.signal]),
      });
      const body = await readBoundedBody(response, maxAnswerBytes, 'an answer');
      if (response.status !== 200) throw failure(`${url.host} answers with status ${response.status}`);
      return readModels(body.toString('utf8'), url.host);
    } catch (error) {
      if (signal.aborted) throw error;
      throw failure(expired.signal.aborted ? `${url.host} did not answer in time` : messageOf(error));
    } finally {
      timer.cancel();
      await client.close();
    }
  };
}

function searchUrl(endpoint: string, query: string): URL {
  const url = new URL('/api/models', endpoint);
  const fixed = { search: query, filter: 'gguf', sort: 'downloads', direction: '-1', limit: String(maxModels) };
  for (const [name, value] of Object.entries(fixed)) url.searchParams.set(name, value);
  for (const field of ['downloads', 'tags', 'gguf', 'gated']) url.searchParams.append('expand[]', field);
  return url;
}

/** Models that need an account are left out. */
function readModels(text: string, host: string): ModelFamily[] {
  const entries = parseJson(text);
  if (!Array.isArray(entries)) throw failure(`${host} did not send a list of models`);
  return entries.slice(0, maxModels).flatMap((entry) => {
    const family = readModel(entry);
    return family === undefined ? [] : [family];
  });
}

/** Undefined also for a text with too many values or levels, which would hold the thread. */
function parseJson(text: string): unknown {
  try {
    new JsonScanner({ maxValues: maxAnswerValues }).addText(text);
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface HubModel {
  readonly id?: unknown;
  readonly downloads?: unknown;
  readonly tags?: unknown;
  readonly gated?: unknown;
  readonly gguf?: { readonly total?: unknown; readonly context_length?: unknown } | null;
}

function readModel(entry: unknown): ModelFamily | undefined {
  const { id, downloads, tags, gated, gguf } = (entry ?? {}) as HubModel;
  if (typeof id !== 'string' || !/^[\w-][\w.-]{0,79}\/[\w-][\w.-]{0,79}$/.test(id)) return undefined;
  if (gated !== undefined && gated !== false) return undefined;
  const words = Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [];
  const license = words.find((tag) => tag.startsWith('license:'))?.slice('license:'.length) ?? '';
  const parameters = amountOf(gguf?.total, maxParameters);
  const count = amountOf(downloads, Number.MAX_SAFE_INTEGER);
  const name = `hf.co/${id}`;
  return {
    name,
    title: id,
    license: /^[\w.+-]+$/.test(license) ? license.slice(0, maxLicenseCharacters) : '',
    contextLength: amountOf(gguf?.context_length, 2 ** 30),
    capabilities: words.includes('feature-extraction') || words.includes('sentence-similarity') ? ['embedding'] : [],
    purpose: count === undefined ? '' : `${count.toLocaleString('en')} downloads`,
    sizes: parameters === undefined ? [] : [{ name, bytes: Math.round(parameters * bytesPerWeight) }],
  };
}

function amountOf(value: unknown, max: number): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= max ? value : undefined;
}

function failure(message: string): HearthError {
  return new HearthError('registry_failed', message);
}
