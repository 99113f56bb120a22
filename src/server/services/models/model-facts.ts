// What a model's weights say about what it can do. Read once per file: the file behind a digest never changes.

import type { JinjaSource } from '../../../formats/chat/prompt-template.ts';
import type { GgufMetadata } from '../../../formats/gguf/metadata.ts';
import { type Gguf, readGgufFile } from '../../../formats/gguf/read-gguf.ts';
import type { LocalModelSource } from '../../../inference/engine/model-source.ts';
import type { ModelShape } from '../../../inference/engine/ports.ts';

export interface ModelFacts {
  /** It turns text into vectors and cannot write any. */
  readonly embedsOnly: boolean;
  /** Absent where the weights do not tell. */
  readonly shape?: ModelShape;
}

export interface ModelFactsReader {
  read(files: LocalModelSource): Promise<ModelFacts>;
  /** The Jinja text that the weights carry, if any. Reads their vocabulary, for the tokens that a template is told. */
  readChatTemplate(files: LocalModelSource): Promise<JinjaSource | undefined>;
}

export function createModelFactsReader(): ModelFactsReader {
  return {
    read: rememberByKey(async (path) => toFacts(await readGgufFile(path, { maxArray: 0 })), { embedsOnly: false }),
    readChatTemplate: rememberByKey(async (path) => toChatTemplate(await readGgufFile(path)), undefined),
  };
}

const maxRemembered = 1000;

function rememberByKey<Facts>(
  read: (path: string) => Promise<Facts>,
  unreadable: Facts,
): (files: LocalModelSource) => Promise<Facts> {
  const known = new Map<string, Facts>();
  return async ({ key, weightsPath }) => {
    if (known.has(key)) return known.get(key) as Facts;
    // A file that cannot be read fails when it is loaded, and with a better message.
    const facts = await read(weightsPath).catch(() => unreadable);
    if (known.size >= maxRemembered) known.clear();
    known.set(key, facts);
    return facts;
  };
}

function toFacts({ metadata }: Gguf): ModelFacts {
  const embedsOnly = metadata.has(`${String(metadata.get('general.architecture'))}.pooling_type`);
  const shape = shapeOf(metadata);
  return { embedsOnly, ...(shape ? { shape } : {}) };
}

function toChatTemplate({ metadata }: Gguf): JinjaSource | undefined {
  const source = metadata.get('tokenizer.chat_template');
  if (typeof source !== 'string') return undefined;
  const tokens = metadata.get('tokenizer.ggml.tokens');
  const tokenText = (key: string): string => {
    const token = Array.isArray(tokens) ? tokens[Number(metadata.get(key) ?? -1)] : undefined;
    return typeof token === 'string' ? token : '';
  };
  return {
    source,
    bosToken: tokenText('tokenizer.ggml.bos_token_id'),
    eosToken: tokenText('tokenizer.ggml.eos_token_id'),
  };
}

/** How much of the KV cache a token takes, from the sizes of the network. */
function shapeOf(metadata: GgufMetadata): ModelShape | undefined {
  const architecture = String(metadata.get('general.architecture'));
  const numberOf = (key: string): number => Number(metadata.get(`${architecture}.${key}`) ?? Number.NaN);
  const heads = numberOf('attention.head_count');
  const keyHeads = metadata.has(`${architecture}.attention.head_count_kv`)
    ? numberOf('attention.head_count_kv')
    : heads;
  const width = (numberOf('embedding_length') / heads) * keyHeads;
  const shape = {
    cacheValuesPerToken: 2 * numberOf('block_count') * width,
    trainedContext: numberOf('context_length'),
  };
  return Object.values(shape).every((value) => Number.isFinite(value) && value > 0) ? shape : undefined;
}
