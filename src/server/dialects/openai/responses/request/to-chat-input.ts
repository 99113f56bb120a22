// Converts a request to the input of the chat service.

import { HearthError } from '../../../../../base/errors.ts';
import { type AnswerFormat, parseAnswerFormat } from '../../../../../inference/model/answer-format.ts';
import type { ChatInput } from '../../../../services/generation/measure-answer.ts';
import { toTemplateOptions } from '../../../shared/model-input.ts';
import { invalid } from '../../../shared/read-fields.ts';
import { readFormatFields } from '../../answer-format.ts';
import { readEffort } from '../../effort.ts';
import { readTruncation, toCommonInput } from '../../generation-fields.ts';
import type { InputItem } from './input-items.ts';
import { readToolChoice } from './read-tool-choice.ts';
import type { InputTokensRequestBody, ResponsesRequestBody } from './responses-request-schema.ts';
import { itemsToMessages } from './to-messages.ts';
import type { ToolTable } from './tool-table.ts';

interface Conversation {
  /** The items of earlier responses, and those of the request. */
  readonly items: readonly InputItem[];
  readonly tools: ToolTable;
  /** Whether conversations that are too long are shortened if requests do not say. */
  readonly truncates?: boolean | undefined;
}

/** A request to count tokens has only some of the fields. */
export function toResponsesChatInput(
  body: InputTokensRequestBody & ResponsesRequestBody,
  { items, tools, truncates = false }: Conversation,
): ChatInput {
  const isContinued = body.previous_response_id !== undefined;
  const messages = itemsToMessages(items, { instructions: body.instructions, tools, isContinued });
  if (messages.length === 0) throw invalid('input', 'at least one item is required');
  const think = readEffort(body.reasoning?.effort);
  return {
    ...toCommonInput(body, body.max_output_tokens),
    messages,
    ...readToolChoice(body.tool_choice, tools),
    parallelCalls: body.parallel_tool_calls ?? true,
    ...toTemplateOptions(body.chat_template_kwargs, think),
    ...(wantsLogprobs(body) ? { topLogprobs: body.top_logprobs ?? 0 } : {}),
    format: readFormatFields(body, toFormat(body.text?.format)),
    truncate: readTruncation(body.truncation) ?? truncates,
    systemInPlace: true,
    // Agents ask every model to think.
    thinkIfAble: true,
  };
}

/** Fields that would change the prompt, and that this server does not have. */
export function refuseUnsupported({ conversation, prompt }: InputTokensRequestBody): void {
  const [name] = Object.entries({ conversation, prompt }).find(([, value]) => value !== undefined) ?? [];
  if (name !== undefined)
    throw new HearthError('unsupported', `${name} is not supported; send the items, or previous_response_id`);
}

function wantsLogprobs({ include = [], top_logprobs = 0 }: ResponsesRequestBody): boolean {
  return top_logprobs > 0 || include.includes('message.output_text.logprobs');
}

function toFormat(format: NonNullable<InputTokensRequestBody['text']>['format']): AnswerFormat | undefined {
  switch (format?.type) {
    case undefined:
    case 'text':
      return undefined;
    case 'json_object':
      return { type: 'json' };
    case 'json_schema':
      if (format.schema === undefined) throw invalid('text.format.schema', 'a JSON schema is required');
      return parseAnswerFormat(format.schema);
    default:
      throw invalid('text.format.type', 'expected "text", "json_object" or "json_schema"');
  }
}
