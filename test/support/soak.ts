// Runs concurrent clients with random requests for some time and counts the outcomes.

import { fetchFrom } from './from-address.ts';
import { pause } from './processes.ts';

export interface SoakOptions {
  readonly url: string;
  readonly models: readonly string[];
  readonly clients: number;
  readonly milliseconds: number;
  /** A reproducible generator of numbers from 0 to below 1. */
  readonly random: () => number;
}

/** A reproducible random generator. */
export function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Counts by outcome: `answered`, `cancelled`, `left`, or the status and text of an error. */
export type Tally = Map<string, number>;

export async function soak({ url, models, clients, milliseconds, random }: SoakOptions): Promise<Tally> {
  const tally: Tally = new Map();
  const until = performance.now() + milliseconds;
  const one = async (client: number): Promise<void> => {
    while (performance.now() < until) {
      const outcome = await makeRequest({ url, model: pick(models, random), client, random });
      tally.set(outcome, (tally.get(outcome) ?? 0) + 1);
      // A refused client retries a little later.
      if (outcome.startsWith('5')) await pause(50 + 200 * random());
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, client) => one(client)));
  return tally;
}

interface Errand {
  readonly url: string;
  readonly model: string;
  readonly client: number;
  readonly random: () => number;
}

async function makeRequest(errand: Errand): Promise<string> {
  const { url, client, random } = errand;
  const leaving = new AbortController();
  const leaves = random() < 0.2;
  if (leaves) setTimeout(() => leaving.abort(), 400 * random());
  const { path, body } = describe(errand);
  const fetchAs = addresses[client % addresses.length] as typeof fetch;
  try {
    const response = await fetchAs(url + path, {
      method: 'POST',
      body: JSON.stringify(body),
      signal: AbortSignal.any([leaving.signal, AbortSignal.timeout(maxRequest)]),
    });
    if (random() < 0.1) void cancel(`${url}/api/requests/${response.headers.get('x-request-id')}`, fetchAs);
    return judge(response.status, await response.text());
  } catch (error) {
    if (leaves && leaving.signal.aborted) return 'left';
    throw new Error(`${path} did not finish: ${error}, ${(error as Error).cause}`);
  }
}

const addresses = [1, 2, 3, 4, 5, 6].map((last) => fetchFrom(`127.0.0.${last}`));
// Only a lost request takes this long.
const maxRequest = 120_000;

function describe({ model, random }: Errand): { readonly path: string; readonly body: object } {
  const kind = random();
  const stream = random() < 0.5;
  const options = { num_predict: 1 + Math.floor(24 * random()) };
  if (kind < 0.3) return { path: '/api/embed', body: { model, input: ['one text', 'another text '.repeat(9)] } };
  if (kind < 0.6)
    return {
      path: '/api/chat',
      body: { model, messages: [{ role: 'user', content: `Hello ${random()}` }], stream, options },
    };
  return { path: '/api/generate', body: { model, prompt: `Count to ${Math.floor(99 * random())}`, stream, options } };
}

async function cancel(url: string, fetchAs: typeof fetch): Promise<void> {
  await fetchAs(url, { method: 'DELETE' }).then((response) => response.text());
}

function judge(status: number, text: string): string {
  const last = JSON.parse(text.trim().split('\n').at(-1) ?? '') as {
    error?: string;
    done?: boolean;
    embeddings?: number[][];
  };
  if (last.error !== undefined) return last.error === 'request canceled' ? 'cancelled' : `${status} ${last.error}`;
  if (last.done === true || last.embeddings?.length === 2) return 'answered';
  throw new Error(`${status} without a final object: ${text.slice(-200)}`);
}

function pick<Item>(items: readonly Item[], random: () => number): Item {
  return items[Math.floor(random() * items.length)] as Item;
}
