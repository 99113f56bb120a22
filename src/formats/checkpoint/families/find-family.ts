// The table of families, by the architecture in config.json.

import { asObject, stringsOf } from '../../../base/json-values.ts';
import { unusable } from '../files/checkpoint-error.ts';
import type { ConfigObject } from '../files/json-object.ts';
import { bert, distilBert, roberta } from './bert.ts';
import type { Family } from './family.ts';
import { gemma, gemma2, gemma3 } from './gemma.ts';
import { llama, mistral, mixtral } from './llama.ts';
import { phi3 } from './phi.ts';
import { qwen2, qwen2Moe, qwen3, qwen3Moe } from './qwen.ts';

export const families: readonly Family[] = [
  llama,
  mistral,
  mixtral,
  qwen2,
  qwen3,
  qwen2Moe,
  qwen3Moe,
  gemma,
  gemma2,
  gemma3,
  phi3,
  bert,
  distilBert,
  roberta,
];

const byModel: ReadonlyMap<string, Family> = new Map(
  families.flatMap((family) => family.models.map((model) => [model, family] as const)),
);

export function findFamily(config: ConfigObject): { readonly family: Family; readonly model: string } {
  const own = stringsOf(asObject(config['text_config'])['architectures']);
  const [model] = own.length > 0 ? own : stringsOf(config['architectures']);
  if (model === undefined) throw unusable('config.json names no architecture');
  const family = byModel.get(model);
  if (family === undefined)
    throw unusable(
      `the architecture ${JSON.stringify(model.slice(0, 80))} is not known; known are ${[...byModel.keys()].join(', ')}`,
    );
  return { family, model };
}
