// The table of families, by the architecture in config.json.

import { asObject, stringsOf } from '../../../base/json-values.ts';
import { unusable } from '../files/checkpoint-error.ts';
import type { ConfigObject } from '../files/json-object.ts';
import { bert, distilBert, roberta } from './bert.ts';
import { deepseek } from './deepseek.ts';
import { embeddingGemma } from './embedding-gemma.ts';
import type { Family } from './family.ts';
import { gemma, gemma2, gemma3 } from './gemma.ts';
import { gemma4 } from './gemma4.ts';
import { glm4Moe } from './glm.ts';
import { gptOss } from './gpt-oss.ts';
import { granite, graniteHybrid, graniteMoe } from './granite.ts';
import { jina2, jina3, xlmRoberta } from './jina-bert.ts';
import { lfm2, lfm2Moe } from './lfm2.ts';
import { llama, mistral, mixtral } from './llama.ts';
import { mistral3, smolLm3 } from './llama-variants.ts';
import { llama4 } from './llama4.ts';
import { modernBert } from './modern-bert.ts';
import { nomicBert, nomicBertMoe } from './nomic-bert.ts';
import { olmo2 } from './olmo.ts';
import { phi3 } from './phi.ts';
import { qwen2, qwen2Moe, qwen3, qwen3Moe } from './qwen.ts';
import { qwen25VlText } from './qwen-vl.ts';
import { qwen3Reranker } from './qwen3-reranker.ts';
import { qwen35, qwen35Moe } from './qwen35.ts';
import { smolVlmText } from './smolvlm.ts';

export const families: readonly Family[] = [
  // The architecture of its text model is that of a Llama.
  smolVlmText,
  llama,
  mistral,
  mixtral,
  qwen2,
  qwen3Reranker,
  qwen3,
  qwen2Moe,
  qwen3Moe,
  qwen35,
  qwen35Moe,
  qwen25VlText,
  gptOss,
  smolLm3,
  mistral3,
  olmo2,
  granite,
  graniteMoe,
  graniteHybrid,
  glm4Moe,
  lfm2,
  lfm2Moe,
  llama4,
  deepseek,
  gemma,
  gemma2,
  gemma3,
  gemma4,
  embeddingGemma,
  phi3,
  bert,
  distilBert,
  roberta,
  modernBert,
  nomicBert,
  nomicBertMoe,
  jina2,
  jina3,
  xlmRoberta,
];

const knownModels = [...new Set(families.flatMap(({ models }) => models))];

/** `hints`: names of the checkpoint that are not in config.json. */
export function findFamily(
  config: ConfigObject,
  hints: readonly string[] = [],
): { readonly family: Family; readonly model: string } {
  const own = stringsOf(asObject(config['text_config'])['architectures']);
  const [model] = own.length > 0 ? own : stringsOf(config['architectures']);
  if (model === undefined) throw unusable('config.json names no architecture');
  const family = families.find(({ models, applies }) => models.includes(model) && applies?.(config, hints) !== false);
  if (family === undefined)
    throw unusable(
      `the architecture ${JSON.stringify(model.slice(0, 80))} is not known; known are ${knownModels.join(', ')}`,
    );
  return { family, model };
}
