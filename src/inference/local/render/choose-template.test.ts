import { afterAll, beforeAll, expect, test } from 'vitest';
import { createServiceFixture } from '../../../../test/support/service-fixture.ts';
import { parseRequestedModel } from '../../../models/requested-model.ts';
import { openModel } from '../../../server/services/models/open-model.ts';
import type { OpenModel } from '../../model/model.ts';

const fixture = createServiceFixture();
const { chooseTemplate } = fixture.createServices();
const open = (name: string): Promise<OpenModel> => openModel(fixture.store, parseRequestedModel(name));
const jinja = (value: string) => ({ 'tokenizer.chat_template': { type: 'string', value } as const });

beforeAll(async () => {
  await fixture.putModel('go', { template: 'go {{ .Prompt }}', metadata: jinja('unused') });
  await fixture.putModel('same', { template: 'go {{ .Prompt }}', system: 'other' });
  await fixture.putModel('bare');
  const rendered = { template: '{{ .Prompt }}', renderer: 'qwen3-coder' };
  await fixture.putModel('rendered', { ...rendered, metadata: jinja('{{ messages[0].content }}?') });
  await fixture.putModel('only-rendered', rendered);
  await fixture.putModel('rendered-with-template', { ...rendered, template: 'go {{ .Prompt }}' });
  await fixture.putModel('unknown-format', { metadata: jinja('{{ messages[0].content }}!') });
  await fixture.putModel('chatml', {
    metadata: jinja(
      "{% for m in messages %}{{ '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}{% endfor %}" +
        "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}",
    ),
  });
});
afterAll(() => fixture.remove());

const hello = { messages: [{ role: 'user', content: 'hello' }], tools: [] };

test.each([
  ['go', '', 'go hello'],
  ['go', 'mine {{ .Prompt }}', 'mine hello'],
  ['bare', '', 'hello'],
  ['rendered', '', 'hello?'],
  ['rendered-with-template', '', 'go hello'],
  ['unknown-format', '', 'hello!'],
  ['chatml', '', '<|im_start|>user\nhello<|im_end|>\n<|im_start|>assistant\n'],
])('%s with the template %j', async (name, requested, prompt) => {
  const { template } = await chooseTemplate(requested, await open(name));
  expect(await template.renderConversation(hello)).toBe(prompt);
});

test('a renderer is missing if nothing else says how to write prompts', async () => {
  expect((await chooseTemplate('', await open('only-rendered'))).missingRenderer).toBe('qwen3-coder');
  for (const name of ['rendered', 'rendered-with-template', 'bare'])
    expect((await chooseTemplate('', await open(name))).missingRenderer).toBeUndefined();
  expect((await chooseTemplate('mine {{ .Prompt }}', await open('only-rendered'))).missingRenderer).toBeUndefined();
});

test('only a recognized format adds stop sequences', async () => {
  expect((await chooseTemplate('', await open('chatml'))).stop).toEqual(['<|im_start|>', '<|im_end|>']);
  expect((await chooseTemplate('', await open('go'))).stop).toEqual([]);
});

test("a model's template is parsed once, and models with the same text share it", async () => {
  const first = await chooseTemplate('', await open('go'));
  expect((await chooseTemplate('', await open('go'))).template).toBe(first.template);
  expect((await chooseTemplate('', await open('same'))).template).toBe(first.template);
  const format = await chooseTemplate('', await open('chatml'));
  expect((await chooseTemplate('', await open('chatml'))).template).toBe(format.template);
});

test('a changed template takes effect', async () => {
  await fixture.putModel('changing', { template: 'old {{ .Prompt }}' });
  await chooseTemplate('', await open('changing'));
  await fixture.putModel('changing', { template: 'new {{ .Prompt }}' });
  const { template } = await chooseTemplate('', await open('changing'));
  expect(await template.renderConversation(hello)).toBe('new hello');
});

test('the templates of requests are not cached', async () => {
  const model = await open('go');
  const first = await chooseTemplate('mine', model);
  expect((await chooseTemplate('mine', model)).template).not.toBe(first.template);
});
