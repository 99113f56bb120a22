// Prompts through the Jinja template that a model's weights carry (`tokenizer.chat_template`), with the variables and
// functions that Hugging Face's apply_chat_template gives to templates.

import { HearthError } from '../../../base/errors.ts';
import { type Clock, systemClock } from '../../../base/time/clock.ts';
import { withCallIds } from './call-ids.ts';
import { cutAtMark, endsUnfinished, markEnd } from './continue-answer.ts';
import { messagesIn } from './jinja-message.ts';
import { createRenderProcess, type RenderLimits } from './render-process.ts';
import type { RenderOutcome } from './render-program.ts';
import { createCalendar } from './strftime.ts';

/** Variables under the names that templates know: messages, tools, bos_token, enable_thinking … */
export type JinjaData = Readonly<Record<string, unknown>>;

export interface JinjaRenderer {
  /**
   * The prompt up to where the model goes on: behind the generation prompt, or behind the content of a last message
   * of the assistant's. Rejects with `bad_template`.
   */
  render(source: string, data: JinjaData): Promise<string>;
  /** Ends the process behind it; the next render starts another. */
  stop(): void;
}

const defaultLimits: RenderLimits = { milliseconds: 10_000, heapMegabytes: 256, maxText: 2 ** 24 };
// The longest in use have some 20,000 characters.
const maxSource = 2 ** 20;

export function createJinjaRenderer(clock: Clock, limits: Partial<RenderLimits> = {}): JinjaRenderer {
  const renderer = createRenderProcess(clock, { ...defaultLimits, ...limits });

  async function render(source: string, data: JinjaData): Promise<string> {
    if (source.length > maxSource) throw new HearthError('bad_template', 'the chat template of the model is too long');
    const messages = withCallIds(messagesIn(data), source);
    const unfinished = endsUnfinished(messages);
    const variables = {
      // What is not there is none to templates, not undefined: some only ask `is not none`.
      tools: null,
      documents: null,
      ...data,
      messages: unfinished ? markEnd(messages) : messages,
      add_generation_prompt: !unfinished,
    };
    const calendar = source.includes('strftime_now') ? createCalendar(clock.now()) : {};
    const text = textOf(await renderer.render({ source, variables, calendar }));
    return unfinished ? cutAtMark(text, messages) : text;
  }

  return { render, stop: renderer.stop };
}

function textOf(outcome: RenderOutcome): string {
  if ('text' in outcome) return outcome.text;
  const message =
    'refusal' in outcome
      ? `the chat template of the model refuses the conversation: ${outcome.refusal}`
      : `the chat template of the model fails: ${outcome.fault}`;
  throw new HearthError('bad_template', message);
}

const shared = createJinjaRenderer(systemClock);

/** Through a process that all models share. */
export function renderJinja(source: string, data: JinjaData): Promise<string> {
  return shared.render(source, data);
}
