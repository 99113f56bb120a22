// Every format as its authors published it.

import { afterAll, describe, expect, test } from 'vitest';
import { type Published, published } from '../../../../test/support/published-formats.ts';
import { systemClock } from '../../../base/time/clock.ts';
import { parseTemplate } from '../../go-template/template.ts';
import { createJinjaRenderer } from '../jinja/jinja-renderer.ts';
import { renderMessages } from '../render-prompt.ts';
import { findFormat, formats } from './find-format.ts';
import { createRecognizeFormat } from './recognize-format.ts';

const renderer = createJinjaRenderer(systemClock);
afterAll(renderer.stop);
const recognizeFormat = createRecognizeFormat(renderer);

const conversation = [
  { role: 'system', content: 'S' },
  { role: 'user', content: 'U1' },
  { role: 'assistant', content: 'A1' },
  { role: 'user', content: 'U2' },
];
const withoutSystem = conversation.slice(1);
const begun = conversation.slice(1, 3);

const names = Object.keys(published);

describe.each(names)('%s', (name) => {
  const facts = published[name] as Published;
  const { bos = '', eos = '' } = facts;
  const template = formats.find((row) => row.name === name)?.template ?? '';
  const render = (messages: typeof conversation) => renderMessages(parseTemplate(template), { messages, tools: [] });

  test('the Go template writes the published text', () => {
    expect(render(conversation)).toBe(facts.complete);
    expect(render(withoutSystem)).toBe(facts.plain);
    expect(render(begun)).toBe(facts.begun);
  });

  test('a Jinja template writes the same and is recognized', async () => {
    const text = await renderer.render(facts.jinja, { messages: withoutSystem, bos_token: bos, eos_token: eos });
    expect(text).toBe(`${bos}${facts.plain}`);
    expect(findFormat(facts.jinja)).toMatchObject({ name, template });
    expect(await recognizeFormat({ source: facts.jinja, bosToken: bos, eosToken: eos })).toMatchObject({ name });
  });

  test('a template with other texts, thinking or tools is not recognized', () => {
    expect(findFormat(`${facts.jinja}{% if tools %}{{ tools }}{% endif %}`)).toBeUndefined();
    expect(findFormat(`${facts.jinja}{{ '<think></think>' }}`)).toBeUndefined();
    if (name !== 'command-r') expect(findFormat(`{{ 'You are a helpful model.' }}${facts.jinja}`)).toBeUndefined();
  });
});

test('every format without tools is tested', () => {
  const withoutTools = formats.filter(({ template }) => !template.includes('.Tools')).map(({ name }) => name);
  expect(withoutTools.sort()).toEqual([...names].sort());
});
