// Builds a model's prompts: through its Go template, or through the Jinja template in its weights.

import { HearthError } from '../../base/errors.ts';
import { parseTemplate } from '../go-template/template.ts';
import { callSyntaxOf, jinjaCallSyntax } from './detect-call-syntax.ts';
import { jinjaCapabilities } from './jinja/jinja-capabilities.ts';
import type { JinjaRenderer, JinjaSource } from './jinja/jinja-renderer.ts';
import { toJinjaData } from './jinja-data.ts';
import { collate } from './message.ts';
import { type Conversation, renderInsertion, renderMessages } from './render-prompt.ts';
import type { ThinkingTags } from './thinking/thinking-parser.ts';
import { defaultThinkingTags, thinkingTagsOf } from './thinking/thinking-tags.ts';
import type { CallSyntax } from './tool-calls/call-syntax.ts';

export interface PromptTemplate {
  readonly supportsTools: boolean;
  /** Whether it can render a prompt and a suffix with a gap to fill between them. */
  readonly supportsInsertion: boolean;
  /** The tags around the model's thinking; undefined if it cannot think. */
  readonly thinkingTags: ThinkingTags | undefined;
  /** How the model writes tool calls. */
  readonly callSyntax: CallSyntax;
  renderConversation(conversation: Conversation): Promise<string>;
  renderInsertion(prompt: string, suffix: string): string;
}

export function createGoPromptTemplate(source: string): PromptTemplate {
  const template = parseTemplate(source);
  return {
    supportsTools: template.mentions.has('tools'),
    supportsInsertion: template.mentions.has('suffix'),
    thinkingTags: thinkingTagsOf(template),
    callSyntax: callSyntaxOf(template),
    renderConversation: async (conversation) => renderMessages(template, conversation),
    renderInsertion: (prompt, suffix) => renderInsertion(template, prompt, suffix),
  };
}

export function createJinjaPromptTemplate(jinja: JinjaSource, renderer: Pick<JinjaRenderer, 'render'>): PromptTemplate {
  const { tools: supportsTools, thinking } = jinjaCapabilities(jinja.source);
  return {
    supportsTools,
    supportsInsertion: false,
    thinkingTags: thinking ? defaultThinkingTags : undefined,
    callSyntax: jinjaCallSyntax(jinja.source),
    renderConversation: (conversation) =>
      renderer.render(jinja.source, toJinjaData({ ...conversation, messages: collate(conversation.messages) }, jinja)),
    renderInsertion() {
      throw new HearthError('unsupported', 'the chat template of the model does not support insert');
    },
  };
}
