// The template of a model: what it says about the model, and how it builds prompts.

import type { Effort } from '../../base/effort.ts';
import { HearthError } from '../../base/errors.ts';
import type { Template } from '../go-template/template.ts';
import { callSyntaxOf, jinjaCallSyntax } from './detect-call-syntax.ts';
import { jinjaCapabilities } from './jinja/jinja-capabilities.ts';
import type { JinjaRenderer, JinjaSource } from './jinja/jinja-renderer.ts';
import { toJinjaData } from './jinja-data.ts';
import { collate } from './message.ts';
import type { Conversation, Insertion } from './render-prompt.ts';
import type { ThinkingTags } from './thinking/thinking-parser.ts';
import { defaultThinkingTags, thinkingTagsOf } from './thinking/thinking-tags.ts';
import type { CallSyntax } from './tool-calls/call-syntax.ts';

/** What a template says about its model. */
export interface TemplateTraits {
  readonly supportsTools: boolean;
  /** Whether it can render a prompt and a suffix with a gap to fill between them. */
  readonly supportsInsertion: boolean;
  /** The tags around the model's thinking; undefined if it cannot think. */
  readonly thinkingTags: ThinkingTags | undefined;
  /** How the model writes tool calls. */
  readonly callSyntax: CallSyntax;
}

export interface PromptTemplate extends TemplateTraits {
  renderConversation(conversation: Conversation): Promise<string>;
  renderInsertion(insertion: Insertion): Promise<string>;
}

/** The traits of a Go template. */
export function traitsOf(template: Template, effort?: Effort): TemplateTraits {
  return {
    supportsTools: template.mentions.has('tools'),
    supportsInsertion: template.mentions.has('suffix'),
    thinkingTags: thinkingTagsOf(template),
    callSyntax: callSyntaxOf(template, effort),
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
    async renderInsertion() {
      throw new HearthError('unsupported', 'the chat template of the model does not support insert');
    },
  };
}
