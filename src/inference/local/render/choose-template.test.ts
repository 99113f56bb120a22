import { afterAll, beforeAll, expect, test } from 'vitest';
import { createServiceFixture } from '../../../../test/support/service-fixture.ts';
import { parseRequestedModel } from '../../../models/name.ts';
import { openModel } from '../../../server/services/models/open-model.ts';
import type { OpenModel } from '../../model/model.ts';

const fixture = createServiceFixture();
const { chooseTemplate } = fixture.createServices();
const open = (name: string): Promise<OpenModel> => openModel(fixture.store, parseRequestedModel(name));
const jinja = (value: string) => ({ 'tokenizer.chat_template': { type: 'string', value } as const });

beforeAll(async () => {
  await fixture.putModel('go', { template: 'go {{ .Prompt }}', metadata: jinja('unused') });
  await fixture.putModel('same', { template: 'go {{ .Prompt }}', system: 'other' });
  const withTools =
    '{% for m in messages %}{{ m.content }}{% if m.tool_calls %}{% endif %}{% endfor %}{{ tools }} ipython';
  await fixture.putModel('weights-can-more', { template: 'go {{ .Prompt }}', metadata: jinja(withTools) });
  await fixture.putModel('parser-and-weights', {
    template: 'go {{ .Prompt }}',
    parser: 'qwen3',
    metadata: jinja(withTools),
  });
  await fixture.putModel('bare');
  await fixture.putModel('coder', { template: 'go {{ .Prompt }}', renderer: 'qwen3-coder', parser: 'qwen3' });
  await fixture.putModel('template-and-parser', { template: 'go {{ .Prompt }}', parser: 'qwen3-thinking' });
  await fixture.putModel('unknown-parser', { template: 'go {{ .Prompt }}', parser: 'of-tomorrow' });
  await fixture.putModel('unknown-parser-with-jinja', {
    metadata: jinja('{{ messages[0].content }}?'),
    parser: 'of-tomorrow',
  });
  const rendered = { template: '{{ .Prompt }}', renderer: 'of-tomorrow' };
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
  ['coder', '', '<|im_start|>user\nhello<|im_end|>\n<|im_start|>assistant\n'],
  ['rendered', '', 'hello?'],
  ['weights-can-more', '', 'helloNone ipython'],
  ['weights-can-more', 'mine {{ .Prompt }}', 'mine hello'],
  ['parser-and-weights', '', 'go hello'],
  ['rendered-with-template', '', 'go hello'],
  ['unknown-format', '', 'hello!'],
  ['chatml', '', '<|im_start|>user\nhello<|im_end|>\n<|im_start|>assistant\n'],
])('%s with the template %j', async (name, requested, prompt) => {
  const { template } = await chooseTemplate(requested, await open(name));
  expect(await template.renderConversation(hello)).toBe(prompt);
});

test('a renderer is missing if nothing else says how to write prompts', async () => {
  const missing = { kind: 'renderer', name: 'of-tomorrow' };
  expect((await chooseTemplate('', await open('only-rendered'))).missing).toEqual(missing);
  for (const name of ['rendered', 'rendered-with-template', 'bare', 'coder'])
    expect((await chooseTemplate('', await open(name))).missing).toBeUndefined();
  expect((await chooseTemplate('mine {{ .Prompt }}', await open('only-rendered'))).missing).toBeUndefined();
});

test('a parser is missing if the weights do not say how answers are written', async () => {
  const missing = { kind: 'parser', name: 'of-tomorrow' };
  expect((await chooseTemplate('', await open('unknown-parser'))).missing).toEqual(missing);
  for (const name of ['unknown-parser-with-jinja', 'template-and-parser'])
    expect((await chooseTemplate('', await open(name))).missing).toBeUndefined();
});

test.each(['coder', 'template-and-parser'])('the traits of %s are those of its parser', async (name) => {
  const { template } = await chooseTemplate('', await open(name));
  expect(template.supportsTools).toBe(true);
  expect(template.callSyntax?.tag).toBe('<tool_call>');
  expect(template.thinkingTags?.close).toBe(name === 'coder' ? undefined : '</think>');
});

test('a template of the weights is used itself if it has the variables of the request', async () => {
  const model = await open('chatml');
  const textWith = async (...variables: string[]) => (await chooseTemplate('', model, variables)).text;
  expect(await textWith('add_generation_prompt')).toContain('{% for m in messages %}');
  expect(await textWith('color')).toBe(await textWith());
  expect(await textWith()).not.toContain('{% for m in messages %}');
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
