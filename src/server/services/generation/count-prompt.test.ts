import { afterAll, beforeAll, expect, test } from 'vitest';
import { createServiceFixture } from '../../../../test/support/service-fixture.ts';
import { type Reported, RequestReport } from '../../../base/request/request-report.ts';
import { parseRequestedModel } from '../../../models/name.ts';
import { parseOptions } from '../../../models/options.ts';
import { createCountPrompt } from './count-prompt.ts';
import type { ChatInput } from './measure-answer.ts';

const fixture = createServiceFixture();
const never = new AbortController().signal;
const template =
  '{{ range .Tools }}tool {{ .Function.Name }} {{ end }}{{ range .Messages }}{{ .Role }} {{ .Content }} {{ end }}';

beforeAll(() => fixture.putModel('plain', { template, system: 'Be brief.' }));
afterAll(() => fixture.remove());

const tool = { name: 'look', description: '', parameters: {} };
const inputOf = (input: Partial<ChatInput> = {}): Reported<ChatInput> => ({
  model: parseRequestedModel('plain'),
  messages: [{ role: 'user', content: 'Why is that so?', encodedImages: [] }],
  tools: [],
  format: undefined,
  report: new RequestReport(),
  options: parseOptions({}),
  ...input,
});

// The fake engine counts words. The template adds the role to each message.
test.each<[string, Partial<ChatInput>, number]>([
  ['messages, with the system message of the model', {}, 8],
  ['tools', { tools: [tool] }, 10],
  ['tools that are not offered', { tools: [tool], toolChoice: 'none' }, 8],
])('counts %s', async (_, input, tokens) => {
  const services = fixture.createServices();
  expect(await createCountPrompt(services)(inputOf(input), never)).toBe(tokens);
  expect([services.engine.generated, services.engine.openLeases()]).toEqual([[], 0]);
});

test('a prompt that is longer than the context is counted too', async () => {
  const services = fixture.createServices({ contextLength: 4 });
  expect(await createCountPrompt(services)(inputOf(), never)).toBe(8);
});
