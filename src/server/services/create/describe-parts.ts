// What lists say about a model, from what its parts are.

import type { ModelDetails } from '../../../models/details.ts';
import { mediaTypes } from '../../../models/store/manifests/manifest.ts';
import { describeGguf } from '../models/describe-gguf.ts';
import type { Part } from './find-parts.ts';

/** A projector is another family in the house. */
export function describeParts(parts: readonly Part[]): ModelDetails {
  const of = (mediaType: string): ModelDetails[] =>
    parts.filter(({ layer }) => layer.mediaType === mediaType).map(({ gguf }) => describeGguf(gguf));
  const [weights] = of(mediaTypes.model) as [ModelDetails];
  const projectors = of(mediaTypes.projector).map(({ family }) => family);
  return { ...weights, families: [...(weights.families ?? []), ...projectors] };
}
