// What the engine of this version cannot do with architectures that it knows. `npm run test:families` has a row for each.

import { HearthError } from '../../base/errors.ts';
import type { GgufMetadata } from './metadata.ts';

const encoder = 'a model with an encoder of its own';
const draft = 'a model that drafts from the state of another model';
const sound = 'a model that generates sound';
const wrong = 'a model for which llama.cpp returns wrong probabilities';

/** A load would end the process, or answers would be wrong. */
const unusable: Readonly<Record<string, string>> = {
  t5: encoder,
  t5encoder: encoder,
  eagle3: draft,
  dflash: draft,
  'gemma4-assistant': draft,
  'wavtokenizer-dec': sound,
  qwen3tts: sound,
  pockettts: sound,
  // The probabilities of the first token of a prompt instead of the last one.
  cogvlm: wrong,
  // Only the first row of a pass has no tokens of images.
  chameleon: wrong,
  plm: 'a model that llama.cpp ends the process for',
  gptj: 'an architecture that llama.cpp has a name for, but no code',
};

const withoutVocabulary: ReadonlySet<unknown> = new Set(['no_vocab', 'none']);

// Prompts of several requests in one pass change each other.
const alone: ReadonlySet<string> = new Set(['plamo2', 'rwkv6qwen2', 'arwkv7']);

// Adapters are loaded and then ignored.
const withoutAdapters: ReadonlySet<string> = new Set(['graniteswitch', 'kimi-k3']);
// The process ends if an adapter changes one of these matrices.
const exactProducts: ReadonlySet<string> = new Set(['glm4', 'glm4moe', 'jais2']);
const exactMatrix = /\.(attn_output|ffn_down|ffn_down_shexp)\.weight\.lora_[ab]$/;

function architectureOf(metadata: GgufMetadata): string {
  return String(metadata.get('general.architecture'));
}

/** Undefined if such a model can be used. */
export function whyUnusable(metadata: GgufMetadata): string | undefined {
  const name = architectureOf(metadata);
  // The engine aborts where it needs a token.
  if (withoutVocabulary.has(metadata.get('tokenizer.ggml.model')))
    return 'a model without a vocabulary is not supported';
  return Object.hasOwn(unusable, name) ? `${unusable[name]} (${name}) is not supported` : undefined;
}

/** Whether a pass may have tokens of one request only. */
export function runsAlone(metadata: GgufMetadata): boolean {
  return alone.has(architectureOf(metadata));
}

/** Refuses an adapter with tensors of these names that the engine cannot apply to these weights. */
export function checkAdapter(weights: GgufMetadata, tensors: readonly string[]): void {
  const name = architectureOf(weights);
  if (withoutAdapters.has(name))
    throw new HearthError('load_failed', `llama.cpp does not apply adapters to models of the architecture ${name}`);
  const tensor = exactProducts.has(name) ? tensors.find((one) => exactMatrix.test(one)) : undefined;
  if (tensor !== undefined)
    throw new HearthError(
      'load_failed',
      `llama.cpp cannot apply an adapter to ${tensor.replace(/\.lora_[ab]$/, '')} of the architecture ${name}`,
    );
}
