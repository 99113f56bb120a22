// What a model must be able to do for a request. Ollama ignores images for a model without vision, which then answers
// about a file name.

import { HearthError } from '../../base/errors.ts';
import type { ShowResponseBody } from '../../server/dialects/ollama/models/show-schema.ts';
import { safeLine } from '../output/format.ts';
import type { Think } from './preferences.ts';

export interface ModelAbilities {
  readonly model: string;
  readonly facts: Pick<ShowResponseBody, 'capabilities'>;
}

/** `next` is what the user can do about it. */
export function requireThinking({ model, facts }: ModelAbilities, think: Think | undefined, next: string): void {
  if (think === undefined || think === false || facts.capabilities.includes('thinking')) return;
  throw new HearthError('unsupported', `'${safeLine(model)}' cannot think: ${next}`);
}

/** `image` is the name of a file that the prompt contains. */
export function noVision({ model }: ModelAbilities, image: string): HearthError {
  const next = 'use a model with vision, such as ember-eyes, or leave out the name of the file';
  return new HearthError('unsupported', `'${safeLine(model)}' cannot see the image '${safeLine(image)}': ${next}`);
}
