// What the renderers of the Qwen family have in common.

import type { Message } from '../message.ts';

/** The results of parallel calls share a turn of the user. */
export function isFirstResult(messages: readonly Message[], index: number): boolean {
  return messages[index - 1]?.role !== 'tool';
}

export function isLastResult(messages: readonly Message[], index: number): boolean {
  return messages[index + 1]?.role !== 'tool';
}

/** The last question of the user. A result that is written as the message of a user is none. */
export function lastQueryIndex(messages: readonly Message[]): number {
  const index = messages.findLastIndex(({ role, content }) => role === 'user' && !isWrittenResult(content));
  return index === -1 ? messages.length - 1 : index;
}

function isWrittenResult(content: string): boolean {
  return content.startsWith('<tool_response>') && content.endsWith('</tool_response>');
}

/** How to write calls as elements, after the list of tools. */
export const elementCallRules = `

If you choose to call a function ONLY reply in the following format with NO suffix:

<tool_call>
<function=example_function_name>
<parameter=example_parameter_1>
value_1
</parameter>
<parameter=example_parameter_2>
This is the value for the second parameter
that can span
multiple lines
</parameter>
</function>
</tool_call>

<IMPORTANT>
Reminder:
- Function calls MUST follow the specified format: an inner <function=...></function> block must be nested within <tool_call></tool_call> XML tags
- Required parameters MUST be specified
- You may provide optional reasoning for your function call in natural language BEFORE the function call, but NOT after
- If there is no function call available, answer the question like normal with your current knowledge and do not tell the user about function calls
</IMPORTANT>`;
