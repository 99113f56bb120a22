// Which template a model's prompts go through: the one of the request, the model's own, one of ours for the format that
// its weights name, or the Jinja text in the weights themselves.

import { recognizeFormat } from '../../../formats/chat/formats/recognize-format.ts';
import {
  createGoPromptTemplate,
  createJinjaPromptTemplate,
  type PromptTemplate,
} from '../../../formats/chat/prompt-template.ts';
import type { ModelFactsReader } from './model-facts.ts';
import type { OpenModel } from './open-model.ts';

export interface ChosenTemplate {
  readonly template: PromptTemplate;
  /** As people read and change it. */
  readonly text: string;
  /** Where answers end in this format, for models that do not say so themselves. */
  readonly stop: readonly string[];
}

const plainTemplate = '{{ .Prompt }}';

export async function chooseTemplate(
  ofRequest: string,
  model: OpenModel,
  facts: ModelFactsReader,
): Promise<ChosenTemplate> {
  const own = ofRequest || model.template;
  if (own !== undefined) return fromGo(own);
  const chatTemplate = await facts.readChatTemplate(model.files);
  if (chatTemplate === undefined) return fromGo(plainTemplate);
  const format = await recognizeFormat(chatTemplate);
  if (format) return fromGo(format.template, format.stop);
  return { template: createJinjaPromptTemplate(chatTemplate), text: chatTemplate.source, stop: [] };
}

function fromGo(text: string, stop: readonly string[] = []): ChosenTemplate {
  return { template: createGoPromptTemplate(text), text, stop };
}
