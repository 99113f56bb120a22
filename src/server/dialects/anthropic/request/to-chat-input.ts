// Converts a request to the input of the chat service.

import { HearthError } from '../../../../base/errors.ts';
import { type AnswerFormat, parseAnswerFormat } from '../../../../inference/model/answer-format.ts';
import type { OptionValues } from '../../../../models/options.ts';
import type { ChatInput } from '../../../services/generation/measure-answer.ts';
import { readBias, readOptionFields, toModelInput } from '../../shared/model-input.ts';
import { toolsetType } from './mcp-servers.ts';
import type { CountTokensRequestBody, MessagesRequestBody } from './messages-request-schema.ts';
import { toConversationMessages } from './to-messages.ts';

// Anthropic's defaults. Parameters of the model take precedence.
const optionDefaults: OptionValues = { temperature: 1, topP: 1 };

/** A request to count tokens has only some of the fields. `truncates`: whether conversations that are too long are shortened. */
export function toAnthropicChatInput(body: CountTokensRequestBody & MessagesRequestBody, truncates = false): ChatInput {
  const options = readOptionFields(body);
  if (body.max_tokens !== undefined) options['num_predict'] = body.max_tokens;
  if (body.stop_sequences !== undefined) options['stop'] = body.stop_sequences;
  return {
    ...toModelInput({ ...body, options }),
    optionDefaults,
    logitBias: body.logit_bias && readBias(body.logit_bias),
    messages: toConversationMessages(body),
    tools: (body.tools ?? []).filter(isCustomTool).map(toTool),
    ...toToolChoice(body.tool_choice),
    ...toThinking(body),
    format: toFormat(body),
    // Agents shorten a conversation themselves, and must know when the context is full.
    truncate: truncates,
    shift: false,
    systemInPlace: true,
    // Agents ask every model to think.
    thinkIfAble: true,
  };
}

type RequestTool = NonNullable<CountTokensRequestBody['tools']>[number];

/** Types of tools that a server of Anthropic would run. */
export function ignoredToolTypes({ tools = [] }: CountTokensRequestBody): string[] {
  return tools.filter((tool) => !isCustomTool(tool) && tool.type !== toolsetType).map(({ type = '' }) => type);
}

function isCustomTool({ type = 'custom' }: RequestTool): boolean {
  return type === 'custom';
}

function toTool({ name, description = '', input_schema: parameters }: RequestTool): ChatInput['tools'][number] {
  if (name === undefined) throw new HearthError('bad_request', 'tools: a tool has no name');
  return { name, description, parameters };
}

function toToolChoice(choice: CountTokensRequestBody['tool_choice']): Pick<ChatInput, 'toolChoice' | 'parallelCalls'> {
  if (choice === undefined) return {};
  const parallel = choice.disable_parallel_tool_use ? { parallelCalls: false } : {};
  switch (choice.type) {
    case 'auto':
    case 'none':
      return { toolChoice: choice.type, ...parallel };
    case 'any':
      return { toolChoice: 'required', ...parallel };
    case 'tool':
      if (choice.name !== undefined) return { toolChoice: { name: choice.name }, ...parallel };
      throw new HearthError('bad_request', 'tool_choice.name: the name of a tool is required');
    default:
      throw new HearthError('bad_request', 'tool_choice.type: expected "auto", "any", "tool" or "none"');
  }
}

const efforts: Readonly<Record<string, string>> = {
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'max',
  max: 'max',
};

// Without the field there is no thinking: clients that did not ask for it expect text in the first block.
function toThinking({ thinking, output_config }: CountTokensRequestBody): Pick<ChatInput, 'think' | 'thinkingBudget'> {
  if (thinking === undefined || thinking.type === 'disabled') return { think: false };
  const { effort } = output_config ?? {};
  const level = effort !== undefined && Object.hasOwn(efforts, effort) ? efforts[effort] : undefined;
  if (effort !== undefined && level === undefined)
    throw new HearthError('bad_request', `output_config.effort: expected one of ${Object.keys(efforts).join(', ')}`);
  const { budget_tokens: budget } = thinking;
  return { think: level ?? true, thinkingBudget: budget };
}

// `output_format` is the older name of `output_config.format`.
function toFormat({ output_config, output_format }: CountTokensRequestBody): AnswerFormat | undefined {
  const format = output_config?.format ?? output_format;
  if (format === undefined) return undefined;
  if (format.type !== 'json_schema')
    throw new HearthError('bad_request', 'output_config.format.type: expected "json_schema"');
  if (format.schema === undefined)
    throw new HearthError('bad_request', 'output_config.format.schema: a JSON schema is required');
  return parseAnswerFormat(format.schema);
}
