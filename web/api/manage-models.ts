// Requests that change the models of the server.

import type { ShowResponseBody } from '../../src/server/dialects/ollama/models/show-schema.ts';
import { type ModelEntry, refreshModels } from './models.ts';
import { request, requestJson } from './request.ts';

export async function copyModel(source: string, destination: string): Promise<void> {
  await request('/api/copy', { method: 'POST', body: { source, destination } });
  await refreshModels();
}

export async function deleteModel(model: string): Promise<void> {
  await request('/api/delete', { method: 'DELETE', body: { model } });
  await refreshModels();
}

/** Resolves when the model is in memory. */
export async function loadModel({ name, capabilities }: ModelEntry): Promise<void> {
  // A request without a text loads the model. Models for embeddings do not generate.
  const path = capabilities.includes('completion') ? '/api/generate' : '/api/embed';
  await request(path, { method: 'POST', body: { model: name } });
  await refreshModels();
}

/** Running requests end first. */
export async function unloadModel(model: string): Promise<void> {
  await request('/api/generate', { method: 'POST', body: { model, keep_alive: 0 } });
  await refreshModels();
}

export function showModel(model: string): Promise<ShowResponseBody> {
  return requestJson<ShowResponseBody>('/api/show', { method: 'POST', body: { model } });
}
