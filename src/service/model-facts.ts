// What a model's weights say about what it can do. Read once per file: the file behind a digest never changes.

import type { ModelFiles } from '../engine/ports.ts';
import { type Gguf, readGgufFile } from '../gguf/read-gguf.ts';

export interface ModelFacts {
  /** It turns text into vectors and cannot write any. */
  readonly embedsOnly: boolean;
}

export interface ModelFactsReader {
  read(files: ModelFiles): Promise<ModelFacts>;
}

const mostRemembered = 1000;

export function createModelFactsReader(): ModelFactsReader {
  const known = new Map<string, ModelFacts>();
  return {
    async read({ key, weightsPath }) {
      const before = known.get(key);
      if (before) return before;
      const facts = await readFacts(weightsPath);
      if (known.size >= mostRemembered) known.clear();
      known.set(key, facts);
      return facts;
    },
  };
}

async function readFacts(path: string): Promise<ModelFacts> {
  try {
    return toFacts(await readGgufFile(path, { longestArray: 0 }));
  } catch {
    // A file that cannot be read fails when it is loaded, and with a better message.
    return { embedsOnly: false };
  }
}

function toFacts({ metadata }: Gguf): ModelFacts {
  return { embedsOnly: metadata.has(`${String(metadata.get('general.architecture'))}.pooling_type`) };
}
