// Special tokens, chat template and normalization as metadata. Follows SpecialVocab of llama.cpp's converter, which
// finds out from tokenizer.json what a tokenizer adds to a text.

import { asObject } from '../../../base/json-values.ts';
import type { Metadata } from '../config/metadata.ts';
import { asString, type ConfigObject, isUint32, objectsOf } from '../files/json-object.ts';
import { addedAroundText, type TextFrame } from './text-frame.ts';
import { specialToken, type TokenizerFiles } from './tokenizer-files.ts';

const idKeys: Readonly<Record<string, string>> = {
  bos: 'bos_token_id',
  eos: 'eos_token_id',
  unk: 'unknown_token_id',
  sep: 'seperator_token_id',
  pad: 'padding_token_id',
  mask: 'mask_token_id',
  eot: 'eot_token_id',
  eom: 'eom_token_id',
};

interface SpecialTokenOptions {
  /** config.json. */
  readonly config: ConfigObject;
  /** Ids from here on are ignored. */
  readonly vocabularySize: number;
  /** Tokens by kind, where no file names them. */
  readonly fallbacks?: Readonly<Record<string, string>>;
}

export function writeSpecialTokens(
  metadata: Metadata,
  files: TokenizerFiles,
  { config, vocabularySize, fallbacks = {} }: SpecialTokenOptions,
): void {
  const frame = addedAroundText(files);
  for (const [kind, key] of Object.entries(idKeys)) {
    // These exist only if the end of a text is another token than the end of a turn.
    const isAbsent = (kind === 'eot' || kind === 'eom') && !frame.tokens.has(kind);
    const own = isAbsent ? undefined : findId(kind, frame, files, config);
    const id = own ?? files.added.find(({ content }) => content === fallbacks[kind])?.id;
    if (id !== undefined && id < vocabularySize) metadata.u32(`tokenizer.ggml.${key}`, id);
  }
  for (const kind of ['bos', 'eos', 'sep'] as const) {
    const setting = files.settings[`add_${kind}_token`];
    metadata.bool(`tokenizer.ggml.add_${kind}_token`, typeof setting === 'boolean' ? setting : frame.adds[kind]);
  }
  writeChatTemplate(metadata, files.chatTemplate);
  writeNormalizer(metadata, asObject(files.json?.['normalizer']));
}

function findId(kind: string, frame: TextFrame, files: TokenizerFiles, config: ConfigObject): number | undefined {
  const content = frame.tokens.get(kind) ?? specialToken(files.settings, `${kind}_token`);
  const added = files.added.find((token) => token.content === content)?.id;
  const own = config[`${kind}_token_id`] ?? asObject(config['text_config'])[`${kind}_token_id`];
  return added ?? (isUint32(own) ? own : undefined);
}

/** Several templates have names. The one without a name of its own is called default. */
function writeChatTemplate(metadata: Metadata, template: unknown): void {
  const text = asString(template);
  if (text !== undefined) {
    metadata.string('tokenizer.chat_template', text);
    return;
  }
  const named = objectsOf(template).flatMap(({ name, template: own }) => {
    const key = (asString(name) ?? '').replace(/[^A-Za-z0-9]/g, '_');
    return key === '' || typeof own !== 'string' ? [] : [{ key, text: own }];
  });
  const others = named.filter(({ key }) => key !== 'default');
  for (const { key, text: own } of others) metadata.string(`tokenizer.chat_template.${key}`, own);
  if (others.length > 0)
    metadata.strings(
      'tokenizer.chat_templates',
      others.map(({ key }) => key),
    );
  metadata.string('tokenizer.chat_template', named.find(({ key }) => key === 'default')?.text);
}

function writeNormalizer(metadata: Metadata, normalizer: ConfigObject): void {
  const { type, lowercase, strip_accents: stripAccents } = normalizer;
  const keys = { lowercase: 'tokenizer.ggml.normalizer.lowercase', strip: 'tokenizer.ggml.normalizer.strip_accents' };
  switch (type) {
    case 'Sequence':
      for (const step of objectsOf(normalizer['normalizers']))
        if (step['type'] !== type) writeNormalizer(metadata, step);
      return;
    case 'Lowercase':
      metadata.bool(keys.lowercase, true);
      return;
    case 'StripAccents':
      metadata.bool(keys.strip, true);
      return;
    case 'BertNormalizer':
      metadata.bool(keys.lowercase, typeof lowercase === 'boolean' ? lowercase : undefined);
      metadata.bool(keys.strip, typeof stripAccents === 'boolean' ? stripAccents : undefined);
  }
}

export const tokenTypes = { normal: 1, unknown: 2, control: 3, userDefined: 4, unused: 5, byte: 6 } as const;

export type TokenType = (typeof tokenTypes)[keyof typeof tokenTypes];

/** Some tokenizers do not mark these as special, but a text must not contain them. */
export function looksSpecial(token: string): boolean {
  return (
    ['<pad>', '<mask>', '<2mass>', '[@BOS@]'].includes(token) ||
    (token.startsWith('<|') && token.endsWith('|>')) ||
    (token.startsWith('<｜') && token.endsWith('｜>')) ||
    (token.startsWith('<unused') && token.endsWith('>'))
  );
}

/** User-defined tokens are compared with the text before its spaces are replaced. */
export function withSpaces(token: string): string {
  return token.replaceAll('▁', ' ');
}
