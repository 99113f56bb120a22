// Uploads files and creates models from them on a test server.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ShowResponseBody } from '../../src/server/dialects/ollama/models/show-schema.ts';
import type { ProgressResponseBody } from '../../src/server/dialects/ollama/transfer/progress-schema.ts';
import { type Body, post } from './client.ts';
import type { TestServer } from './server.ts';

export const digestOf = (content: Uint8Array): string => `sha256:${createHash('sha256').update(content).digest('hex')}`;

export interface CreateClient {
  upload(path: string): Promise<{ digest: string; path: string }>;
  create(body: Body): ReturnType<typeof post<ProgressResponseBody>>;
  /** Returns the statuses; throws if the model was not created. */
  created(body: Body): Promise<string[]>;
  show(model: string): Promise<ShowResponseBody>;
  /** The names of the files. */
  blobs(): string[];
}

export function createClientOf({ url, store }: Pick<TestServer, 'url' | 'store'>): CreateClient {
  const create = (body: Body) => post<ProgressResponseBody>(url, '/api/create', body);
  return {
    create,
    async upload(path) {
      const content = readFileSync(path);
      const digest = digestOf(content);
      const response = await fetch(`${url}/api/blobs/${digest}`, { method: 'POST', body: new Uint8Array(content) });
      return { digest, path: await response.text() };
    },
    async created(body) {
      const { status, objects, text } = await create(body);
      if (status !== 200 || objects.at(-1)?.status !== 'success') throw new Error(text);
      return objects.map((object) => object.status);
    },
    show: async (model) => (await post<ShowResponseBody>(url, '/api/show', { model })).objects[0] as ShowResponseBody,
    blobs: () => readdirSync(join(store, 'blobs')).sort(),
  };
}
