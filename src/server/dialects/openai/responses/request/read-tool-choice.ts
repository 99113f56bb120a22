// `tool_choice`, and the tools that it leaves.

import type { ChatInput } from '../../../../services/generation/measure-answer.ts';
import { invalid, objectOf, stringOf } from '../../../shared/read-fields.ts';
import type { ToolTable } from './tool-table.ts';

export function readToolChoice(choice: unknown, table: ToolTable): Pick<ChatInput, 'tools' | 'toolChoice'> {
  const { tools } = table;
  if (choice === undefined) return { tools };
  if (choice === 'none' || choice === 'auto' || choice === 'required') return { tools, toolChoice: choice };
  const fields = objectOf(choice, 'tool_choice');
  switch (fields['type']) {
    case 'function':
    case 'custom':
      return {
        tools,
        toolChoice: { name: table.offeredName(stringOf(fields['name'], 'tool_choice.name'), fields['namespace']) },
      };
    case 'mcp':
    case 'file_search':
      return { tools, toolChoice: 'required' };
    case 'allowed_tools':
      return { tools: readAllowed(fields['tools'], table), toolChoice: readMode(fields['mode']) };
    default:
      // A tool that only other servers have. It was ignored, so the model decides.
      return { tools, toolChoice: 'auto' };
  }
}

function readAllowed(allowed: unknown, { tools, offeredName }: ToolTable): ChatInput['tools'] {
  if (!Array.isArray(allowed)) throw invalid('tool_choice.tools', 'expected an array of tools');
  const names = new Set(
    allowed.map((tool, index) => {
      const { name, namespace } = objectOf(tool, `tool_choice.tools.${index}`);
      return typeof name === 'string' ? offeredName(name, namespace) : '';
    }),
  );
  return tools.filter(({ name }) => names.has(name));
}

function readMode(mode: unknown): 'auto' | 'required' {
  if (mode === undefined || mode === 'auto') return 'auto';
  if (mode === 'required') return 'required';
  throw invalid('tool_choice.mode', 'expected "auto" or "required"');
}
