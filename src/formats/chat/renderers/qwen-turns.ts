// What the renderers of the Qwen family have in common.

import type { Message } from '../message.ts';

/** The last question of the user; the last message if there is none. */
export function lastQueryIndex(messages: readonly Message[]): number {
  const index = messages.findLastIndex(isQuery);
  return index === -1 ? messages.length - 1 : index;
}

/** A result that is written as the message of a user is no question. */
export function isQuery({ role, content }: Message): boolean {
  const isResult = content.startsWith('<tool_response>') && content.endsWith('</tool_response>');
  return role === 'user' && !isResult;
}

/** A tool result. Results of parallel calls share a turn of the user. */
export function writeToolResult(messages: readonly Message[], index: number): string {
  const start = messages[index - 1]?.role === 'tool' ? '' : '<|im_start|>user';
  const end = messages[index + 1]?.role === 'tool' ? '' : '<|im_end|>\n';
  return `${start}\n<tool_response>\n${messages[index]?.content}\n</tool_response>${end}`;
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
