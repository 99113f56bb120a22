// Opens models for requests: those whose prompts are rendered here, and those that a remote renders prompts for.

import type { Lease } from '../engine/ports.ts';
import { type Acquire, PromptModel, type PromptServices } from '../local/prompt-model.ts';
import type { OpenForRequest } from '../model/model.ts';
import type { RemoteLease } from './remote-lease.ts';
import { RemoteModel } from './remote-model.ts';

export interface Engines {
  readonly local: { readonly acquire: Acquire<Lease> };
  readonly remote: { readonly acquire: Acquire<RemoteLease> };
}

export function createOpenModels(services: PromptServices, { local, remote }: Engines): OpenForRequest {
  return async (request) => {
    const { files, template } = request.model;
    if (files.kind === 'local') return PromptModel.open(services, request, local.acquire);
    const prompts = await PromptModel.open(services, request, remote.acquire);
    return template === undefined ? new RemoteModel(services, request, prompts) : prompts;
  };
}
