// Opens a file with weights. One in the dialect of Ollama's library is translated while llama.cpp reads it.

import { HearthError, messageOf } from '../../../base/errors.ts';
import { readDialect, readLayout } from '../../../formats/gguf/dialect/read-dialect.ts';
import { canReadTranslated, TranslatedSource } from '../../../formats/gguf/dialect/translated-source.ts';
import type { Gguf } from '../../../formats/gguf/read-gguf.ts';
import type { WeightsSource } from '../llama/weights-source.ts';

export interface WeightsFile {
  /** As llama.cpp sees it. */
  readonly header: Gguf;
  readonly source: WeightsSource;
}

export async function openWeightsFile(path: string): Promise<WeightsFile> {
  try {
    const { view, translation } = await readDialect(path, { maxArray: 0, checkTokens: true });
    if (translation?.weights === undefined) return { header: view, source: { path } };
    if (!canReadTranslated) throw new HearthError('load_failed', 'the file has to be translated first');
    const layout = await readLayout(path, 'weights');
    return { header: view, source: { open: () => new TranslatedSource(path, layout) } };
  } catch (error) {
    throw new HearthError('load_failed', messageOf(error), { cause: error });
  }
}
