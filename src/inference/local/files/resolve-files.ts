// The files that a runner loads. Those of Ollama's library are translated: the weights while they are loaded where that is
// possible, a projector in a file of its own.

import { HearthError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import { canReadTranslated } from '../../../formats/gguf/dialect/translated-source.ts';
import { type DerivedFile, type DerivedPart, derivedPath } from '../../../models/derived-file.ts';
import type { ModelShape } from '../../engine/ports.ts';
import type { OpenModel, OpenRequest, StoredDraft } from '../../model/model.ts';
import type { LocalModelSource, ModelSource } from '../../model/model-source.ts';
import type { ModelFacts, ModelFactsReader } from './model-facts.ts';

/** `streams`: whether weights can be translated while they are loaded. */
export function resolveFiles(files: ModelSource, { translated }: ModelFacts, streams = canReadTranslated): ModelSource {
  if (files.kind !== 'local' || translated === undefined) return files;
  const derived: DerivedFile[] = [];
  const derive = (from: string, part: DerivedPart): string => {
    const path = derivedPath(from, part);
    derived.push({ part, from, path });
    return path;
  };
  const { weightsPath, projectorPath } = files;
  const own = projectorPath === undefined ? projectorOf(files, translated.ownProjectorBytes, derive) : {};
  return {
    ...files,
    ...own,
    weightsPath: translated.weights && !streams ? derive(weightsPath, 'weights') : weightsPath,
    ...(projectorPath !== undefined && translated.projector
      ? { projectorPath: derive(projectorPath, 'projector') }
      : {}),
    derived,
  };
}

/** The projector in the file of the weights. */
function projectorOf(
  { weightsPath }: LocalModelSource,
  projectorBytes: number | undefined,
  derive: (from: string, part: DerivedPart) => string,
): Pick<LocalModelSource, 'projectorPath' | 'projectorBytes'> {
  return projectorBytes === undefined ? {} : { projectorPath: derive(weightsPath, 'projector'), projectorBytes };
}

// Finds the draft model of a request: the one that the option draft_model names, or the model's own.

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
  if (model.files.kind !== 'local') return undefined;
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
