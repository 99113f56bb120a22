// A conversation in the form that Jinja templates expect: that of Hugging Face's tokenizers.

import type { ThinkOption } from '../../models/think.ts';
import type { JinjaSource } from './jinja/jinja-renderer.ts';
import type { Message, Tool } from './message.ts';
import type { PromptConversation } from './render-prompt.ts';
import { jinjaThinkSwitch } from './thinking/think-levels.ts';

export function toJinjaData(
  { messages, tools, think, variables }: PromptConversation,
  { source, bosToken, eosToken }: JinjaSource,
): Record<string, unknown> {
  return {
    ...thinkVariables(think, source),
    ...variables,
    messages: messages.map((message) => toMessage(message, source)),
    ...(tools.length > 0 ? { tools: tools.map(toTool) } : {}),
    // Firefunction joins the tools with other texts.
    ...(joinsFunctions.test(source) ? { functions: JSON.stringify(tools.map(toTool), null, 4) } : {}),
    // DeepSeek and Granite models have the second name.
    ...(think === undefined ? {} : { enable_thinking: think !== false, thinking: think !== false }),
    ...(typeof think === 'string' ? { reasoning_effort: think, thinking_effort: think } : {}),
    bos_token: bosToken,
    eos_token: eosToken,
    add_generation_prompt: messages.at(-1)?.role !== 'assistant',
  };
}

const joinsFunctions = /\+ functions\b/;

/** For templates in which thinking is a mode, or one of the levels. */
function thinkVariables(think: ThinkOption | undefined, source: string): Record<string, unknown> {
  if (think === undefined) return {};
  const level = typeof think === 'boolean' ? jinjaThinkSwitch(source, think) : undefined;
  return {
    thinking_mode: think === false ? 'disabled' : 'enabled',
    ...(level === undefined ? {} : { reasoning_effort: level }),
  };
}

// Some templates join the arguments with other texts, so that they must be a text. Some write calls only if there is no
// content at all.
const joinsArguments = /arguments(?:['"]\])?\s*\+|\+ ?[\w.[\]'"]{1,80}arguments(?:['"]\])? ?\}\}/;
const writesJson = /arguments(?:['"]\])? ?\| ?tojson/;
const needsNoContent = /content(?:['"]\])? is none(?! or)/;

function toMessage(message: Message, source: string): Record<string, unknown> {
  const { role, content, toolCalls = [], thinking, toolName, toolCallId } = message;
  const hasNoContent = content === '' && toolCalls.length > 0 && needsNoContent.test(source);
  const argumentsAs =
    joinsArguments.test(source) && !writesJson.test(source) ? JSON.stringify : (values: unknown) => values;
  return {
    role,
    content: hasNoContent ? null : content,
    // The templates of gpt-oss have the second name, and reject it together with content.
    ...(thinking ? { reasoning_content: thinking, reasoning: thinking, ...(content === '' ? { thinking } : {}) } : {}),
    ...(toolName ? { name: toolName } : {}),
    ...(toolCallId ? { tool_call_id: toolCallId } : {}),
    ...(toolCalls.length > 0
      ? {
          tool_calls: toolCalls.map(({ id, name, arguments: values }) => ({
            // Templates ask whether it is defined.
            ...(id ? { id } : {}),
            type: 'function',
            function: { name, arguments: argumentsAs(values) },
          })),
        }
      : {}),
  };
}

function toTool({ name, description, parameters = { type: 'object', properties: {} } }: Tool): Record<string, unknown> {
  return { type: 'function', function: { name, description, parameters } };
}
