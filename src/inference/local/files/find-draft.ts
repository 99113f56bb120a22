// Finds the draft model of a request: the one that the option draft_model names, or the model's own.

import { HearthError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import type { ModelShape } from '../../engine/ports.ts';
import type { OpenModel, OpenRequest, StoredDraft } from '../../model/model.ts';
import type { ModelFactsReader } from './model-facts.ts';

export interface DraftServices extends Pick<OpenRequest, 'findWeights'> {
  readonly facts: ModelFactsReader;
  readonly logger: Logger;
}

interface FoundDraft extends StoredDraft {
  readonly shape?: ModelShape;
}

/** `name`: the value of the option. Empty: no draft model. */
export async function findDraft(
  { findWeights, facts, logger }: DraftServices,
  model: Pick<OpenModel, 'displayName' | 'files' | 'draft'>,
  name: string | undefined,
): Promise<FoundDraft | undefined> {
  if (model.files.kind === 'remote') return undefined;
  const draft = name === undefined ? model.draft : await findNamed(findWeights, name);
  if (draft === undefined) return undefined;
  const difference = await facts.compareVocabularies(model.files, draft);
  if (difference === undefined) {
    const { shape } = await facts.read(toSource(draft));
    return { ...draft, shape };
  }
  const reason = `the vocabulary of the draft model does not fit ${model.displayName}: ${difference}`;
  if (name !== undefined) throw new HearthError('bad_request', reason);
  // A model that was made for another server must still work.
  logger.warn(`${reason}; it is not used`);
  return undefined;
}

async function findNamed(findWeights: DraftServices['findWeights'], name: string): Promise<StoredDraft | undefined> {
  if (name === '') return undefined;
  const draft = await findWeights(name);
  if (draft === undefined)
    throw new HearthError('bad_request', `draft model "${name}" not found; pull it first, or set draft_model to ""`);
  return draft;
}

function toSource({ weightsPath, fileBytes, digest }: StoredDraft) {
  return { kind: 'local' as const, key: digest, weightsPath, adapterPaths: [], fileBytes };
}
