// The table of image encoders, by the architecture in config.json.

import { stringsOf } from '../../../base/json-values.ts';
import type { ConfigObject } from '../files/json-object.ts';
import { gemma3Tower } from './gemma3.ts';
import { qwen25Vl } from './qwen25vl.ts';
import { smolVlm } from './smolvlm.ts';
import type { VisionTower } from './vision-tower.ts';

const towers: readonly VisionTower[] = [smolVlm, gemma3Tower, qwen25Vl];

/** Undefined if the model has no image encoder, or one that is not known. */
export function findTower(config: ConfigObject): VisionTower | undefined {
  const [model] = stringsOf(config['architectures']);
  return model === undefined || config['vision_config'] === undefined
    ? undefined
    : towers.find(({ models }) => models.includes(model));
}
