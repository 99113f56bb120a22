// Renderers and parsers of new models whose architecture has only one chat format, as in Ollama.

import { mediaTypes } from '../../../models/store/manifests/manifest.ts';
import type { OllamaCodecs } from '../../../models/store/manifests/model-config.ts';
import type { ModelPart } from './find-parts.ts';

interface UsualCodecs extends OllamaCodecs {
  readonly stop?: readonly string[] | undefined;
}

const nemotron: OllamaCodecs = { renderer: 'nemotron-3-nano', parser: 'nemotron-3-nano' };

const byArchitecture: ReadonlyMap<string, UsualCodecs> = new Map(
  Object.entries({
    gemma4: { renderer: 'gemma4', parser: 'gemma4', stop: ['<turn|>'] },
    laguna: { renderer: 'laguna', parser: 'laguna' },
    nemotron_h: nemotron,
    nemotron_h_moe: nemotron,
    nemotron_h_omni: nemotron,
  }),
);

/** What the author or the base model names has precedence. */
export function usualCodecs(named: OllamaCodecs, parts: readonly ModelPart[]): UsualCodecs {
  const weights = parts.find(({ layer }) => layer.mediaType === mediaTypes.model)?.gguf;
  const usual = byArchitecture.get(String(weights?.metadata.get('general.architecture')));
  if (usual === undefined || (named.renderer && named.parser)) return named;
  return { ...usual, renderer: named.renderer || usual.renderer, parser: named.parser || usual.parser };
}
