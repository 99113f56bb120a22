// Which models a program can use, the most suitable first.

import type { TagsResponseBody } from '../../server/dialects/ollama/models/tags-schema.ts';
import type { PsResponseBody } from '../../server/dialects/ollama/status/ps-schema.ts';
import type { Program } from './program.ts';

export type RankedModel = TagsResponseBody['models'][number];

interface Available {
  readonly models: readonly RankedModel[];
  readonly loaded: PsResponseBody['models'];
}

/** Models with tools precede others, loaded models precede others, and the rest keeps its order: newest first. */
export function rankModels(
  { models, loaded }: Available,
  { needsTools }: Pick<Program, 'needsTools'>,
): readonly RankedModel[] {
  const isLoaded = ({ name }: RankedModel): boolean => loaded.some((each) => each.name === name);
  const rankOf = (model: RankedModel): number =>
    (needsTools && !can(model, 'tools') ? 2 : 0) + (isLoaded(model) ? 0 : 1);
  return models.filter((model) => can(model, 'completion')).toSorted((a, b) => rankOf(a) - rankOf(b));
}

/** A server that reports no capabilities may support all of them. */
function can({ capabilities }: RankedModel, capability: string): boolean {
  return capabilities?.includes(capability) ?? true;
}
