// A server in front of real engines of other people: adds them as remotes, asks them, and reads streams while they run.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ChatResponseBody } from '../../src/server/dialects/ollama/generation/chat-schema.ts';
import { type Body, post, type Reply } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

export interface RemoteFixture {
  readonly server: TestServer;
  /** Of this test alone. */
  readonly folder: string;
  /** Adds a remote with a model of the same name. */
  addRemote(name: string, urls: readonly string[], more?: Body): Promise<void>;
  /** Adds a remote with a key that is wrong. */
  addRemoteWithWrongKey(name: string, url: string): Promise<void>;
  create(model: string, from: string): Promise<Reply<{ readonly status?: string }>>;
  ask(body: Body): Promise<Reply<ChatResponseBody>>;
  stream(body: Body, events?: StreamEvents): Promise<ChatLine[]>;
  close(): Promise<void>;
}

export interface ChatLine {
  readonly message?: { readonly content: string };
  readonly done?: boolean;
  readonly error?: string;
}

export interface StreamEvents {
  /** The first part has arrived. */
  readonly onBegin?: () => void;
  readonly signal?: AbortSignal;
}

export const hello = [{ role: 'user', content: 'Say hello.' }];

export interface FixtureOptions {
  /** Of the engines. */
  readonly key: string;
  /** Under which the engines have their model. */
  readonly servedModel: string;
  /** HEARTH_REMOTE_TIMEOUT. */
  readonly timeout: string;
  /** Other settings of the server, and variables for what it starts. */
  readonly environment?: Readonly<Record<string, string>>;
}

export async function createRemoteFixture(options: FixtureOptions): Promise<RemoteFixture> {
  const { key, servedModel, timeout } = options;
  const folder = mkdtempSync(join(tmpdir(), 'hearth-remote-engines-'));
  const environment = { HEARTH_REMOTE_TIMEOUT: timeout, ...options.environment };
  const server = await startServer({ isGuarded: true, environment });
  const create: RemoteFixture['create'] = (model, from) =>
    post(server.url, '/api/create', { model, from, stream: false });
  const addRemote: RemoteFixture['addRemote'] = async (name, urls, more = {}) => {
    const added = await post(server.url, '/api/remotes', { name, urls, key, ...more });
    expect(added.status, added.text).toBe(200);
    const created = await create(name, `remote://${name}/${servedModel}`);
    expect(created.status, created.text).toBe(200);
  };
  return {
    server,
    folder,
    addRemote,
    addRemoteWithWrongKey: (name, url) => addRemote(name, [url], { key: `not-${key}` }),
    create,
    ask: (body) => post(server.url, '/api/chat', { messages: hello, stream: false, ...body }),
    stream: (body, events) => readStream(`${server.url}/api/chat`, { messages: hello, ...body }, events),
    async close() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function readStream(url: string, body: Body, { onBegin, signal }: StreamEvents = {}): Promise<ChatLine[]> {
  const init = { method: 'POST', body: JSON.stringify(body), signal };
  const response = await fetch(url, init);
  let text = '';
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    if (text === '') onBegin?.();
    text += Buffer.from(chunk).toString();
  }
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as ChatLine);
}

/** Asks all questions at once. `onAllBegun` is called when each answer has its first part. Returns the last lines. */
export async function streamTogether(
  fixture: RemoteFixture,
  bodies: readonly Body[],
  onAllBegun: () => void,
): Promise<(ChatLine | undefined)[]> {
  let begun = 0;
  const onBegin = (): void => {
    begun += 1;
    if (begun === bodies.length) onAllBegun();
  };
  const answers = await Promise.all(bodies.map((body) => fixture.stream(body, { onBegin })));
  return answers.map((lines) => lines.at(-1));
}
