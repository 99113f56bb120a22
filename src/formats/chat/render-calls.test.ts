import { afterAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../base/time/clock.ts';
import { parseTemplate } from '../go-template/template.ts';
import { createJinjaRenderer } from './jinja/jinja-renderer.ts';
import type { Message } from './message.ts';
import { createJinjaPromptTemplate, traitsOf } from './prompt-template.ts';
import { renderWithCalls } from './render-calls.ts';
import { type PromptConversation, renderMessages } from './render-prompt.ts';

const renderer = createJinjaRenderer(systemClock);
afterAll(renderer.stop);

const call = { name: 'weather', arguments: { city: 'Paris', days: [1, 2], exact: true } };
const messages: readonly Message[] = [
  { role: 'user', content: 'Q' },
  { role: 'assistant', content: '', toolCalls: [call, call] },
  { role: 'tool', content: 'sunny' },
];
const conversation: PromptConversation = { messages, tools: [] };
const jinja = (source: string) =>
  createJinjaPromptTemplate({ source, bosToken: '', eosToken: '' }, renderer).renderConversation(conversation);
const go = (source: string) => {
  const template = parseTemplate(source);
  return renderWithCalls(conversation, traitsOf(template, source), async (input) => renderMessages(template, input));
};

const object = '{"name": "weather", "arguments": {"city": "Paris", "days": [1, 2], "exact": true}}';
const python = 'weather(city="Paris", days=[1, 2], exact=True)';
const shown = "[{{ message['role'] }}: {{ message['content'] }}]";
const each = (body: string): string => `{% for message in messages %}${body}{% endfor %}`;

describe('a Jinja template without calls', () => {
  test('gets the text of its family', async () => {
    expect(await jinja(each(`{# <|im_start|> "List of tools: " 'tool' #}${shown}`))).toBe(
      `[user: Q][assistant: <|tool_call_start|>[${python}, ${python}]<|tool_call_end|>][tool: sunny]`,
    );
    expect(await jinja(each(`{# <tool_call> #}${shown}`))).toBe(
      `[user: Q][assistant: <tool_call>\n${object}\n</tool_call>\n<tool_call>\n${object}\n</tool_call>][tool: sunny]`,
    );
    expect(await jinja(each(`{# [TOOL_CALLS] #}${shown}`))).toContain(`[TOOL_CALLS] [${object}, ${object}]]`);
    expect(await jinja(each(`{# [TOOL_CALLS] [ARGS] #}${shown}`))).toContain(
      '[TOOL_CALLS]weather[ARGS]{"city": "Paris"',
    );
  });

  test('of no family gets JSON', async () => {
    expect(await jinja(each(shown))).toBe(`[user: Q][assistant: ${object}; ${object}][tool: sunny]`);
  });

  test('results are questions if it rejects them, or leaves them out', async () => {
    const expected = `[user: Q][assistant: ${object}; ${object}][user: <tool_response>\nsunny\n</tool_response>]`;
    const isUser = "message['role'] in ['user', 'assistant']";
    expect(await jinja(each(`{% if ${isUser} %}${shown}{% endif %}`))).toBe(expected);
    expect(await jinja(each(`{% if not (${isUser}) %}{{ raise_exception('x') }}{% endif %}${shown}`))).toBe(expected);
  });

  test('its own error remains if it rejects them in any form', async () => {
    await expect(jinja("{{ raise_exception('never') }}")).rejects.toThrow('never');
  });
});

test('a template with calls gets them as they are', async () => {
  const source = each("{{ message.tool_calls | length if message.tool_calls else message.content }}{# 'tool' #}");
  expect(await jinja(source)).toBe('Q2sunny');
});

test('a Go template without calls gets their text, and results as questions', async () => {
  const written = `${object}; ${object}`;
  expect(await go('{{ range .Messages }}[{{ .Role }}: {{ .Content }}]{{ end }}')).toBe(
    `[user: Q][assistant: ${written}][tool: sunny]`,
  );
  expect(await go('[{{ .Prompt }}|{{ .Response }}]')).toBe(`[Q|${written}][<tool_response>\nsunny\n</tool_response>|`);
  expect(await go('{{ range .Messages }}{{ .Content }}{{ len .ToolCalls }}{{ end }}{{/* "tool" */}}')).toBe(
    'Q02sunny0',
  );
});
