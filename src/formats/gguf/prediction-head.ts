// Whether a model has a prediction head that llama.cpp evaluates.

import type { Gguf } from './read-gguf.ts';

/**
 * Architectures whose heads were tried with llama.cpp (docs/adr/0033), and whether there may be several heads. It aborts
 * otherwise.
 */
const architectures: Readonly<Record<string, 'one' | 'several'>> = {
  cohere2moe: 'one',
  deepseek2: 'one',
  deepseek32: 'one',
  'glm-dsa': 'one',
  glm4moe: 'one',
  hy_v3: 'several',
  mimo2: 'several',
  nemotron_h_moe: 'one',
  qwen35: 'one',
  qwen35moe: 'one',
  step35: 'several',
};

// More than any model has.
const maxHeads = 16;

const neededTensors = ['nextn.eh_proj.weight', 'nextn.enorm.weight', 'nextn.hnorm.weight'];
/** Without these, llama.cpp loads the layer and ends the process when it evaluates it. */
const alsoNeeded: Readonly<Record<string, readonly string[]>> = {
  deepseek2: ['attn_q_a.weight', 'attn_k_b.weight', 'ffn_gate_inp.weight', 'ffn_gate_shexp.weight'],
  mimo2: ['attn_qkv.weight', 'ffn_gate.weight', 'ffn_down.weight', 'ffn_up.weight'],
};

/** The layers at the end are heads. Some files name their number although the heads are left out. */
export function hasPredictionHead({ metadata, tensors }: Pick<Gguf, 'metadata' | 'tensors'>): boolean {
  const architecture = String(metadata.get('general.architecture'));
  const allowed = Object.hasOwn(architectures, architecture) ? architectures[architecture] : undefined;
  const heads = Number(metadata.get(`${architecture}.nextn_predict_layers`) ?? 0);
  const most = allowed === 'several' ? maxHeads : 1;
  if (allowed === undefined || !(heads >= 1 && heads <= most)) return false;
  const first = Number(metadata.get(`${architecture}.block_count`)) - heads;
  const names = new Set(tensors.map(({ name }) => name));
  return Array.from({ length: heads }, (_, head) => first + head).every((layer) =>
    [...neededTensors, ...(alsoNeeded[architecture] ?? [])].every((name) => names.has(`blk.${layer}.${name}`)),
  );
}
