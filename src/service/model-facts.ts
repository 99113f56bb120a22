// What a model's weights say about what it can do. Read once per file: the file behind a digest never changes.

import type { JinjaSource } from '../chat/prompt-template.ts';
import type { ModelFiles } from '../engine/ports.ts';
import { type Gguf, readGgufFile } from '../gguf/read-gguf.ts';

export interface ModelFacts {
  /** It turns text into vectors and cannot write any. */
  readonly embedsOnly: boolean;
  /** The Jinja text that its weights carry. */
  readonly chatTemplate?: JinjaSource;
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
    // With the vocabulary: templates are told the tokens that begin and end a text.
    return toFacts(await readGgufFile(path));
  } catch {
    // A file that cannot be read fails when it is loaded, and with a better message.
    return { embedsOnly: false };
  }
}

function toFacts({ metadata }: Gguf): ModelFacts {
  const embedsOnly = metadata.has(`${String(metadata.get('general.architecture'))}.pooling_type`);
  const source = metadata.get('tokenizer.chat_template');
  if (typeof source !== 'string') return { embedsOnly };
  const tokens = metadata.get('tokenizer.ggml.tokens');
  const tokenText = (key: string): string => {
    const token = Array.isArray(tokens) ? tokens[Number(metadata.get(key) ?? -1)] : undefined;
    return typeof token === 'string' ? token : '';
  };
  return {
    embedsOnly,
    chatTemplate: {
      source,
      bosToken: tokenText('tokenizer.ggml.bos_token_id'),
      eosToken: tokenText('tokenizer.ggml.eos_token_id'),
    },
  };
}
