// The files that a runner loads. Those of Ollama's library are translated: the weights while they are loaded where that is
// possible, a projector in a file of its own.

import { canReadTranslated } from '../../../formats/gguf/dialect/translated-source.ts';
import { type DerivedFile, type DerivedPart, derivedPath } from '../../../models/derived-file.ts';
import type { LocalModelSource, ModelSource } from '../../model/model-source.ts';
import type { ModelFacts } from './model-facts.ts';

/** `streams`: whether weights can be translated while they are loaded. */
export function resolveFiles(files: ModelSource, { translated }: ModelFacts, streams = canReadTranslated): ModelSource {
  if (files.kind === 'remote' || translated === undefined) return files;
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
