import { describe, expect, test } from 'vitest';
import { readGguf } from '../../gguf/read-gguf.ts';
import { writeGgufHeader } from '../../gguf/write-gguf-header.ts';
import { Metadata } from '../config/metadata.ts';
import type { ConfigObject } from '../files/json-object.ts';
import { writeSpecialTokens } from './special-tokens.ts';
import type { TokenizerFiles } from './tokenizer-files.ts';

const added = ['<s>', '</s>', '<pad>', '[CLS]', '[SEP]', '<end>'].map((content, id) => ({
  id,
  content,
  special: true,
}));
const special = (id: string) => ({ SpecialToken: { id, type_id: 0 } });
const text = (id: string) => ({ Sequence: { id, type_id: 0 } });
const template = (single: readonly unknown[], pair: readonly unknown[] = []) => ({
  post_processor: { type: 'TemplateProcessing', single, pair },
});

async function write(files: Partial<TokenizerFiles>, config: ConfigObject = {}): Promise<Record<string, unknown>> {
  const metadata = new Metadata();
  const all = { json: {}, model: {}, added, settings: {}, chatTemplate: undefined, ...files };
  writeSpecialTokens(metadata, all, { config, vocabularySize: 100 });
  const header = writeGgufHeader({ version: 3, alignment: 32, entries: metadata.encode(), tensors: [] });
  const gguf = await readGguf({ size: header.length, readHead: async (length) => header.subarray(0, length) });
  return Object.fromEntries(
    [...gguf.metadata].map(([key, value]) => [key.replace(/^tokenizer\.(?:ggml\.)?/, ''), value]),
  );
}

describe('ids', () => {
  test('come from the settings by text, then from config.json', async () => {
    const settings = { bos_token: '<s>', eos_token: { content: '</s>' } };
    const config = { bos_token_id: 9, pad_token_id: 2, text_config: { unk_token_id: 7 } };
    expect(await write({ settings }, config)).toEqual({
      bos_token_id: 0,
      eos_token_id: 1,
      padding_token_id: 2,
      unknown_token_id: 7,
    });
  });

  test('a list, a negative number and an id beyond the vocabulary are ignored', async () => {
    expect(await write({}, { eos_token_id: [1, 2], bos_token_id: -1, pad_token_id: 100 })).toEqual({});
  });
});

describe('what is added to a text', () => {
  test('a token before the text', async () => {
    const json = template([special('<s>'), text('A')]);
    expect(await write({ json, settings: { bos_token: '<s>' } })).toEqual({ bos_token_id: 0, add_bos_token: true });
  });

  test('the setting wins over the template', async () => {
    const json = template([special('<s>'), text('A')]);
    const settings = { bos_token: '<s>', add_bos_token: false };
    expect((await write({ json, settings }))['add_bos_token']).toBe(false);
  });

  test('another token at the end than that of a turn: both are kept', async () => {
    const json = template([text('A'), special('<end>')]);
    expect(await write({ json, settings: { eos_token: '</s>' } })).toEqual({
      eos_token_id: 5,
      eot_token_id: 1,
      add_eos_token: true,
    });
  });

  test('the tokens of BERT on both sides and between two texts', async () => {
    const single = [special('[CLS]'), text('A'), special('[SEP]')];
    const pair = [...single, text('B'), special('[SEP]')];
    const settings = { cls_token: '[CLS]', sep_token: '[SEP]' };
    expect(await write({ json: template(single, pair), settings })).toEqual({
      bos_token_id: 3,
      eos_token_id: 4,
      seperator_token_id: 4,
      add_bos_token: true,
      add_eos_token: true,
      add_sep_token: false,
    });
  });
});

describe('chat template', () => {
  test('one', async () => {
    expect(await write({ chatTemplate: 'x' })).toEqual({ chat_template: 'x' });
  });

  test('several with names', async () => {
    const chatTemplate = [
      { name: 'default', template: 'x' },
      { name: 'tool use', template: 'y' },
    ];
    expect(await write({ chatTemplate })).toEqual({
      chat_template: 'x',
      'chat_template.tool_use': 'y',
      chat_templates: ['tool_use'],
    });
  });
});

test('normalization of a sequence of steps', async () => {
  const normalizers = [{ type: 'Lowercase' }, { type: 'BertNormalizer', lowercase: false, strip_accents: true }];
  expect(await write({ json: { normalizer: { type: 'Sequence', normalizers } } })).toEqual({
    'normalizer.lowercase': false,
    'normalizer.strip_accents': true,
  });
});
