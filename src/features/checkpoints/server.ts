// Models from Hugging Face checkpoints and LoRA adapters (ADR 25).

import { toServerFeature } from '../../server/server-feature.ts';
import { createConvertFiles } from './convert-files.ts';

export const checkpointsServer = toServerFeature({
  openSources: ({ childSettings, scriptOf }) => ({
    convertFiles: createConvertFiles({ script: scriptOf('features/checkpoints/convert-program'), childSettings }),
  }),
});
