// The template of a model: what it says about the model, and how it builds prompts.

import type { Effort } from '../../base/effort.ts';
import { HearthError } from '../../base/errors.ts';
import type { Template } from '../go-template/template.ts';
import { callSyntaxOf, jinjaCallSyntax } from './detect-call-syntax.ts';
import { jinjaCapabilities } from './jinja/jinja-capabilities.ts';
import type { JinjaRenderer, JinjaSource } from './jinja/jinja-renderer.ts';
import { toJinjaData } from './jinja-data.ts';
import { collate } from './message.ts';
import type { ParserFamily } from './parsers/answer-parser.ts';
import { templateParser } from './parsers/message-sections.ts';
import { type CallTraits, renderWithCalls } from './render-calls.ts';
import { type Insertion, type PromptConversation, renderWithSystem } from './render-prompt.ts';
import type { Renderer } from './renderers/renderer.ts';
import { goThinkLevels, jinjaThinkLevels, type ThinkLevels } from './thinking/think-levels.ts';
import type { ThinkingTags } from './thinking/thinking-parser.ts';
import { jinjaThinkingTags, thinkingTagsOf } from './thinking/thinking-tags.ts';
import type { CallSyntax } from './tool-calls/call-syntax.ts';

/** What a template says about its model. */
export interface TemplateTraits extends CallTraits {
  readonly supportsTools: boolean;
  /** Whether it can render a prompt and a suffix with a gap to fill between them. */
  readonly supportsInsertion: boolean;
  /** The tags around the model's thinking; undefined if it cannot think. */
  readonly thinkingTags: ThinkingTags | undefined;
  /** Absent: thinking is only on or off. */
  readonly thinkLevels?: ThinkLevels | undefined;
  /** Whether answers consist of messages in channels, as those of gpt-oss. */
  readonly hasChannels: boolean;
  /** Whether it writes messages one by one. Older templates describe one turn, and not all have a place for a system
   * message. */
  readonly writesMessages: boolean;
}

export interface PromptTemplate extends TemplateTraits {
  /** What reads the answers, if the model names a parser. Otherwise the traits say how. */
  readonly parser?: ParserFamily;
  /** Whether a renderer writes the prompts. It gets the contents of messages as they are. */
  readonly isRendered?: true;
  /** Whether its text has a variable. Absent: it has only those that the server sets. */
  readonly hasVariable?: (name: string) => boolean;
  renderConversation(conversation: PromptConversation): Promise<string>;
  renderInsertion(insertion: Insertion): Promise<string>;
}

/** The traits of a Go template. */
export function traitsOf(template: Template, source: string, effort?: Effort): TemplateTraits {
  const calls = toCallFields(callSyntaxOf(template, source, effort));
  return {
    supportsTools: template.mentions.has('tools'),
    supportsInsertion: template.mentions.has('suffix'),
    thinkingTags: thinkingTagsOf(template),
    thinkLevels: template.mentions.has('thinklevel') ? goThinkLevels(calls) : undefined,
    writesMessages: template.mentions.has('messages'),
    writesCalls: template.mentions.has('toolcalls'),
    writesResults: namesToolRole(source),
    ...calls,
  };
}

export function createJinjaPromptTemplate(jinja: JinjaSource, renderer: Pick<JinjaRenderer, 'render'>): PromptTemplate {
  const render = (conversation: PromptConversation): Promise<string> =>
    renderer.render(
      withDate(jinja.source),
      toJinjaData({ ...conversation, messages: collate(conversation.messages) }, jinja),
    );
  const template: PromptTemplate = {
    supportsTools: jinjaCapabilities(jinja.source).tools,
    supportsInsertion: false,
    thinkingTags: jinjaThinkingTags(jinja.source),
    thinkLevels: jinjaThinkLevels(jinja.source),
    writesMessages: true,
    writesCalls: jinja.source.includes('tool_calls'),
    writesResults: namesToolRole(jinja.source),
    hasVariable: (name) => jinja.source.includes(name),
    ...toCallFields(jinjaCallSyntax(jinja.source)),
    renderConversation: (conversation) =>
      renderWithSystem(conversation, (placed) => renderWithCalls(placed, template, render)),
    async renderInsertion() {
      throw new HearthError('unsupported', 'the chat template of the model does not support insert');
    },
  };
  const parser = templateParser(jinja.source);
  return parser === undefined ? template : withParser(template, parser);
}

/** Firefunction expects the date from its caller. The time of day would change every prompt. */
function withDate(source: string): string {
  if (!source.includes("'\\nToday is ' + datetime")) return source;
  return `{%- set datetime = datetime | default(strftime_now('%Y-%m-%d')) -%}${source}`;
}

/** The prompts of a renderer. Unlike templates, renderers get the messages one by one. */
export function createRenderedTemplate(renderer: Renderer): PromptTemplate {
  return {
    supportsTools: false,
    supportsInsertion: false,
    thinkingTags: undefined,
    thinkLevels: renderer.thinkLevels && { levels: renderer.thinkLevels, isClosed: false },
    writesMessages: true,
    writesCalls: true,
    writesResults: true,
    isRendered: true,
    ...toCallFields(undefined),
    async renderConversation({ messages, tools, think }) {
      return renderer.render({ messages, tools, think });
    },
    async renderInsertion() {
      throw new HearthError('unsupported', 'the renderer of the model does not support insert');
    },
  };
}

/** The same prompts, for answers that a parser reads. */
export function withParser(template: PromptTemplate, parser: ParserFamily): PromptTemplate {
  const { supportsTools, supportsThinking, thinkingTags, callSyntax } = parser;
  return {
    ...template,
    parser,
    supportsTools: supportsTools || template.supportsTools,
    thinkingTags: supportsThinking ? thinkingTags : template.thinkingTags,
    ...toCallFields(callSyntax),
  };
}

/** The roles of results in templates: tool, and ipython in those of Llama. */
function namesToolRole(source: string): boolean {
  return /['"](?:tool|ipython)['"]/.test(source);
}

function toCallFields(callSyntax: CallSyntax | undefined): Pick<PromptTemplate, 'callSyntax' | 'hasChannels'> {
  return { callSyntax, hasChannels: callSyntax?.layout.form.kind === 'harmony' };
}
