// Which models a program can use, the most suitable first.

import type { OfferedModel } from '../../cli/models/ask-for-model.ts';
import type { PsResponseBody } from '../../server/dialects/ollama/status/ps-schema.ts';
import type { Program } from './program.ts';

/** Models with tools precede others, loaded models precede others, and the rest keeps its order: newest first. */
export function rankModels(
  { models, loaded }: { readonly models: readonly OfferedModel[]; readonly loaded: PsResponseBody['models'] },
  { needsTools }: Pick<Program, 'needsTools'>,
): readonly OfferedModel[] {
  const isLoaded = ({ name }: OfferedModel): boolean => loaded.some((each) => each.name === name);
  const rankOf = (model: OfferedModel): number =>
    (needsTools && !can(model, 'tools') ? 2 : 0) + (isLoaded(model) ? 0 : 1);
  return models.filter((model) => can(model, 'completion')).toSorted((a, b) => rankOf(a) - rankOf(b));
}

/** A server that reports no capabilities may support all of them. */
function can({ capabilities }: OfferedModel, capability: string): boolean {
  return capabilities?.includes(capability) ?? true;
}
