// Completes a prompt.

import { HearthError } from '../../../base/errors.ts';
import type { Reported } from '../../../base/request/request-report.ts';
import type { AnswerEvent } from '../../../inference/model/answer-event.ts';
import type { Completion } from '../../../inference/model/conversation.ts';
import { type AnswerInput, answerRequest, type PromptSize } from './measure-answer.ts';
import type { GenerationServices } from './prepare-model.ts';

export interface GenerateInput extends Completion, AnswerInput {}

export type Generate = (input: Reported<GenerateInput>, signal: AbortSignal) => AsyncGenerator<AnswerEvent>;

export function createGenerate(services: GenerationServices): Generate {
  return (input, signal) =>
    answerRequest(services, input, {
      operation: 'complete',
      ask(model) {
        checkRaw(input);
        return model.complete(input, signal);
      },
      prompt: promptOf(input),
    });
}

function promptOf({ prompt, suffix, system, context, promptTokens = [], encodedImages }: GenerateInput): PromptSize {
  const texts = Buffer.byteLength(prompt) + Buffer.byteLength(suffix) + Buffer.byteLength(system);
  return { promptBytes: texts + (context.length + promptTokens.length) * tokenBytes, images: encodedImages.length };
}

const tokenBytes = 3;

export function checkRaw({ raw, template = '', system, context }: GenerateInput): void {
  if (raw && (template !== '' || system !== '' || context.length > 0))
    throw new HearthError('bad_request', 'raw mode does not support template, system, or context');
}
