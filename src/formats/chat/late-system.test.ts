import { describe, expect, test } from 'vitest';
import { HearthError } from '../../base/errors.ts';
import { parseTemplate } from '../go-template/template.ts';
import { placeSystemMessages } from './late-system.ts';
import { type PromptConversation, renderMessages } from './render-prompt.ts';

const message = (role: string, content: string) => ({ role, content });
const conversation = [
  message('system', 'Be kind.'),
  message('user', 'Hi.'),
  message('system', 'Be brief.'),
  message('assistant', 'Hello.'),
  message('user', 'Bye.'),
];

const loop = '{{ range .Messages }}{{ .Role }}: {{ .Content }}\n{{ end }}';
const hoisting = `{{ .System }}\n{{ range .Messages }}{{ if ne .Role "system" }}{{ .Role }}: {{ .Content }}\n{{ end }}{{ end }}`;
const turns = '{{ if .System }}system: {{ .System }}\n{{ end }}user: {{ .Prompt }}\nassistant: {{ .Response }}\n';

const rolesWith = async (template: Parameters<typeof placeSystemMessages>[1]) =>
  (await placeSystemMessages(conversation, template)).map(({ role }) => role).join(' ');

describe('a late system message', () => {
  test.each([
    ['stays with a template that writes all roles in order', loop, 'system user system assistant user'],
    ['becomes a user message if the template writes it at the start', hoisting, 'system user user assistant user'],
    ['becomes a user message if the template writes it twice', hoisting + loop, 'system user user assistant user'],
    ['stays with a template of one turn', turns, 'system user system assistant user'],
  ])('%s', async (_, source, roles) => {
    const template = parseTemplate(source);
    const renderConversation = async (given: PromptConversation) => renderMessages(template, given);
    expect(await rolesWith({ renderConversation })).toBe(roles);
  });

  test('becomes a user message if the template fails on it', async () => {
    const renderConversation = async () => {
      throw new HearthError('bad_template', 'System message must be at the beginning.');
    };
    expect(await rolesWith({ renderConversation })).toBe('system user user assistant user');
  });
});

test('without late system messages the template is not tried', async () => {
  const renderConversation = async () => {
    throw new Error('rendered');
  };
  for (const messages of [conversation.slice(0, 2), conversation.slice(0, 1), []])
    expect(await placeSystemMessages(messages, { renderConversation })).toBe(messages);
});
