// The renderer of a model. "gemma4" stands for two renderers, for small and large models.

import { findRenderer } from '../../../formats/chat/renderers/find-renderer.ts';
import type { Renderer } from '../../../formats/chat/renderers/renderer.ts';
import type { OpenModel } from '../../model/model.ts';

type NamedModel = Pick<OpenModel, 'displayName' | 'renderer' | 'parameterSize'>;

/** Undefined if the model names none, or one that is not known. */
export function resolveRenderer(model: NamedModel): Renderer | undefined {
  if (model.renderer !== 'gemma4') return findRenderer(model.renderer);
  return findRenderer(isLargeGemma(model) ? 'gemma4-large' : 'gemma4-small');
}

const billion = 1e9;
const units: Readonly<Record<string, number>> = { B: billion, M: 1e6, K: 1e3 };

/** The name of the model says it, or else the number of its parameters. */
function isLargeGemma({ displayName, parameterSize }: NamedModel): boolean {
  const name = displayName.toLowerCase();
  if (/e[24]b/.test(name)) return false;
  if (/12b|26b|31b/.test(name)) return true;
  const [, digits = '', unit = ''] = /^([\d.]+)([BMK])$/i.exec(parameterSize) ?? [];
  return Number(digits) * (units[unit.toUpperCase()] ?? 0) >= 12 * billion;
}
