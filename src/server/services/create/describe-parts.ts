// The details of a new model, from its parts.

import type { ModelDetails } from '../../../models/details.ts';
import { mediaTypes } from '../../../models/store/manifests/manifest.ts';
import { describeGguf } from '../models/describe-gguf.ts';
import type { ModelPart } from './find-parts.ts';

/** A projector adds its family. */
export function describeParts(parts: readonly ModelPart[]): ModelDetails {
  const detailsOf = (mediaType: string): ModelDetails[] =>
    parts.filter(({ layer }) => layer.mediaType === mediaType).map(({ gguf }) => describeGguf(gguf));
  const [weights] = detailsOf(mediaTypes.model) as [ModelDetails];
  const projectors = detailsOf(mediaTypes.projector).map(({ family }) => family);
  return { ...weights, families: [...(weights.families ?? []), ...projectors] };
}
