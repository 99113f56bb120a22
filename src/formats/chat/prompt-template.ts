// How a model's prompts are built: through its Go template, or through the Jinja template that its weights carry.

import { HearthError } from '../../base/errors.ts';
import { parseTemplate } from '../go-template/template.ts';
import { guessToolFormat, toolFormatOf } from './detect-tool-format.ts';
import { jinjaAbilities } from './jinja/capabilities.ts';
import { renderJinja } from './jinja/render-jinja.ts';
import { toJinjaData } from './jinja-data.ts';
import { collate } from './message.ts';
import { type Conversation, renderInsertion, renderMessages } from './render-prompt.ts';
import type { ThinkingTags } from './thinking/thinking-parser.ts';
import { thinkingTagsOf, usualThinkingTags } from './thinking/thinking-tags.ts';
import type { ToolFormat } from './tool-calls/tool-format.ts';

export interface PromptTemplate {
  readonly supportsTools: boolean;
  /** Whether it can ask for the text in a gap. */
  readonly supportsInsertion: boolean;
  /** Between what a model thinks that can; absent where it cannot. */
  readonly thinkingTags: ThinkingTags | undefined;
  /** How calls look in answers to its prompts. */
  readonly toolFormat: ToolFormat;
  renderConversation(conversation: Conversation): Promise<string>;
  renderInsertion(prompt: string, suffix: string): string;
}

export function createGoPromptTemplate(source: string): PromptTemplate {
  const template = parseTemplate(source);
  return {
    supportsTools: template.mentions.has('tools'),
    supportsInsertion: template.mentions.has('suffix'),
    thinkingTags: thinkingTagsOf(template),
    toolFormat: toolFormatOf(template),
    renderConversation: async (conversation) => renderMessages(template, conversation),
    renderInsertion: (prompt, suffix) => renderInsertion(template, prompt, suffix),
  };
}

export interface JinjaSource {
  readonly source: string;
  readonly bosToken: string;
  readonly eosToken: string;
}

export function createJinjaPromptTemplate(jinja: JinjaSource): PromptTemplate {
  const { tools: supportsTools, thinking } = jinjaAbilities(jinja.source);
  return {
    supportsTools,
    supportsInsertion: false,
    thinkingTags: thinking ? usualThinkingTags : undefined,
    toolFormat: guessToolFormat(jinja.source),
    renderConversation: (conversation) =>
      renderJinja(jinja.source, toJinjaData({ ...conversation, messages: collate(conversation.messages) }, jinja)),
    renderInsertion() {
      throw new HearthError('unsupported', 'the template of the model cannot fill a gap');
    },
  };
}
