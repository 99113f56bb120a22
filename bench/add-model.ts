// Adds a model file to the store of a server, with a template.

import { digestOfFile } from '../src/base/digest.ts';
import { parseModelName } from '../src/models/name.ts';
import { mediaTypes } from '../src/models/store/manifests/manifest.ts';
import { createStore } from '../src/models/store/store.ts';
import type { TestServer } from '../test/support/server.ts';

export interface AddedModel {
  readonly name: string;
  readonly path: string;
  readonly template: string;
  /** The file of the projector of a vision model. */
  readonly projector?: string;
}

export async function addModel(
  server: Pick<TestServer, 'store'>,
  { name, path, template, projector }: AddedModel,
): Promise<void> {
  const store = createStore(server.store);
  const adopt = async (file: string, mediaType: string) => store.adoptBlob(file, await digestOfFile(file), mediaType);
  await store.putManifest(parseModelName(name), {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config: await store.putBlob(Buffer.from('{}'), mediaTypes.config),
    layers: [
      await adopt(path, mediaTypes.model),
      ...(projector === undefined ? [] : [await adopt(projector, mediaTypes.projector)]),
      await store.putBlob(Buffer.from(template), mediaTypes.template),
    ],
  });
}
