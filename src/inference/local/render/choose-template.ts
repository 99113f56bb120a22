// Chooses the template for a model's prompts: the one of the request, the model's own, the Go template of the chat
// format in its weights, or the Jinja template in its weights.

import { createLruCache } from '../../../base/lru-cache.ts';
import { createRecognizeFormat } from '../../../formats/chat/formats/recognize-format.ts';
import type { JinjaRenderer } from '../../../formats/chat/jinja/jinja-renderer.ts';
import { createJinjaPromptTemplate, type PromptTemplate } from '../../../formats/chat/prompt-template.ts';
import type { Compute } from '../../compute/compute.ts';
import type { OpenModel } from '../../model/model.ts';
import type { ModelFactsReader } from '../files/model-facts.ts';
import { readGoTemplate } from './go-prompt-template.ts';

interface ChosenTemplate {
  readonly template: PromptTemplate;
  /** The source text. */
  readonly text: string;
  /** Stop sequences of the format, for models that define none. */
  readonly stop: readonly string[];
  /** The renderer of Ollama that the model needs, because neither its template nor its weights say how to write prompts. */
  readonly missingRenderer?: string;
}

/** `requested` is the template of the request; empty: none. */
export type ChooseTemplate = (requested: string, model: OpenModel) => Promise<ChosenTemplate>;

interface TemplateServices {
  readonly facts: ModelFactsReader;
  readonly jinja: Pick<JinjaRenderer, 'render'>;
  readonly compute: Compute;
}

/** For models without any template. */
export const plainTemplate = '{{ .Prompt }}';
const maxCached = 64;

export function createChooseTemplate({ facts, jinja, compute }: TemplateServices): ChooseTemplate {
  const recognizeFormat = createRecognizeFormat(jinja);
  // Keyed by the template text: models with the same template share an entry, and a changed template gets a new one.
  const read = createLruCache<PromptTemplate>(maxCached);
  const fromModel = async (text: string, stop: readonly string[] = []): Promise<ChosenTemplate> => {
    const template = read.get(text) ?? (await readGoTemplate(compute, text));
    read.set(text, template);
    return { template, text, stop };
  };

  return async (requested, model) => {
    // Not cached: clients can send any number of templates.
    if (requested !== '') return { template: await readGoTemplate(compute, requested), text: requested, stop: [] };
    // With a renderer, Ollama does not use the template, which is then only the prompt. The weights may have another one.
    const isRendered = model.renderer !== '' && model.template?.trim() === plainTemplate;
    if (model.template !== undefined && !isRendered) return fromModel(model.template);
    const chatTemplate = await facts.readChatTemplate(model.files);
    if (chatTemplate === undefined)
      return { ...(await fromModel(plainTemplate)), missingRenderer: isRendered ? model.renderer : undefined };
    const format = await recognizeFormat(chatTemplate);
    if (format) return fromModel(format.template, format.stop);
    return { template: createJinjaPromptTemplate(chatTemplate, jinja), text: chatTemplate.source, stop: [] };
  };
}
