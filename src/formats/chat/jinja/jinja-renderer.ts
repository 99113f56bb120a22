// Renders prompts through the Jinja template in a model's weights (`tokenizer.chat_template`), with the variables and
// functions of Hugging Face's apply_chat_template.

import { HearthError } from '../../../base/errors.ts';
import { createJobPool, type JobPoolLimits } from '../../../base/jobs/job-pool.ts';
import { currentRequest } from '../../../base/request/request-scope.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { messagesIn, withCallIds } from './call-ids.ts';
import { cutAtMark, endsUnfinished, markEnd } from './continue-answer.ts';
import { type RenderProcessLimits, startRenderProcess } from './render-process.ts';
import type { RenderJob, RenderOutcome } from './render-program.ts';
import { createCalendar } from './strftime.ts';

/** A chat template and the tokens that it may write. */
export interface JinjaSource {
  readonly source: string;
  readonly bosToken: string;
  readonly eosToken: string;
}

/** Variables under the names that templates use: messages, tools, bos_token, enable_thinking … */
type JinjaData = Readonly<Record<string, unknown>>;

type RenderLimits = JobPoolLimits & RenderProcessLimits;

const defaultLimits: RenderLimits = {
  milliseconds: 10_000,
  heapMegabytes: 256,
  maxText: 2 ** 24,
  maxHosts: 3,
  maxWaiting: 1024,
  startMilliseconds: 60_000,
  patience: 100,
  slowAfter: 1000,
  probation: 60_000,
};
// The longest templates in use have about 20,000 characters.
const maxSource = 2 ** 20;

interface RendererOptions extends Partial<RenderLimits> {
  /** The script that applies the sandbox to the child processes. Absent: there is none. */
  readonly launcher?: string;
}

export function createJinjaRenderer(clock: Clock, { launcher, ...given }: RendererOptions = {}) {
  const limits = { ...defaultLimits, ...given };
  const pool = createJobPool<RenderJob, RenderOutcome>({
    clock,
    limits,
    startHost: () => startRenderProcess(clock, limits, launcher),
    keyOf: ({ source }) => source,
    stopped: { fault: 'it was stopped' },
  });

  async function render(
    source: string,
    data: JinjaData,
    signal: AbortSignal | undefined = currentRequest()?.signal,
  ): Promise<string> {
    if (source.length > maxSource) throw new HearthError('bad_template', 'the chat template of the model is too long');
    const messages = withCallIds(messagesIn(data), source);
    const unfinished = endsUnfinished(messages);
    const variables = {
      // Absent values are none, not undefined: some templates only test `is not none`.
      tools: null,
      documents: null,
      ...data,
      messages: unfinished ? markEnd(messages) : messages,
      add_generation_prompt: !unfinished,
    };
    const calendar = source.includes('strftime_now') ? createCalendar(clock.now()) : {};
    // A client that renders a slow template delays neither its other models nor other clients.
    const group = JSON.stringify([currentRequest()?.client ?? '', source]);
    const text = textOf(await pool.run({ job: { source, variables, calendar }, group, signal }));
    return unfinished ? cutAtMark(text, messages) : text;
  }

  return {
    /**
     * Returns the prompt up to where the model continues: after the generation prompt, or after the content of a final
     * assistant message. Rejects with `bad_template`, and with `cancelled` if the signal aborts. The default is the signal
     * of the current request.
     */
    render /** Stops the child processes. A later render starts a new one. */,
    stop: pool.stop,
  };
}

export type JinjaRenderer = ReturnType<typeof createJinjaRenderer>;

function textOf(outcome: RenderOutcome): string {
  if ('text' in outcome) return outcome.text;
  const message =
    'rejection' in outcome
      ? `the chat template of the model rejects the conversation: ${outcome.rejection}`
      : `the chat template of the model fails: ${outcome.fault}`;
  throw new HearthError('bad_template', message);
}
