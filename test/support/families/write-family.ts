// Writes a tiny model of an architecture, with random weights.

import { type Shapes, text, tinyModel, type TinyModel, u32 } from '../architectures/tiny-model.ts';
import { common, type Family } from './families.ts';
import type { FamilyEngine } from './tensor-shapes.ts';
import { vocabularies } from './vocabularies.ts';

export function familyModel(engine: FamilyEngine, name: string, family: Family): TinyModel {
  const { layers = 2, keys = {}, vocabulary = 'bpe', optional, tied } = family;
  const all = { ...common, '.block_count': u32(layers), ...keys, ...vocabularies[vocabulary] };
  const { keys: named } = tinyModel(name, all, []);
  const ofLayers = Array.from({ length: layers }, (_, layer) =>
    (optional?.split(' ') ?? []).map((tensor) => `blk.${layer}.${tensor}`),
  );
  const wanted = [...(tied ? [] : ['output.weight']), ...ofLayers.flat()];
  const shapes: Shapes = engine.shapesOf({ 'general.architecture': text(name), ...named }, wanted);
  return tinyModel(name, all, shapes);
}
