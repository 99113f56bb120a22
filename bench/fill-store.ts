// A store with many small models, as a server finds it that has been in use for a while.

import { parseModelName } from '../src/models/name.ts';
import { mediaTypes } from '../src/models/store/manifests/manifest.ts';
import { encodeModelConfig } from '../src/models/store/manifests/model-config.ts';
import { createStore } from '../src/models/store/store.ts';

export async function fillStore(root: string, models: number): Promise<void> {
  const store = createStore(root);
  const weights = await store.putBlob(Buffer.from('weights'), mediaTypes.model);
  for (let index = 0; index < models; index++) {
    const details = {
      format: 'gguf',
      family: 'llama',
      families: ['llama'],
      parameterSize: `${index}B`,
      quantizationLevel: 'Q8_0',
    };
    const config = await store.putBlob(encodeModelConfig(details, [weights.digest]), mediaTypes.config);
    await store.putManifest(parseModelName(`team${index % 20}/model-${index}:v1`), {
      schemaVersion: 2,
      mediaType: mediaTypes.manifest,
      config,
      layers: [weights],
    });
  }
}
