// The files of a tokenizer: tokenizer.json, tokenizer_config.json and the ids in config.json.

import { asObject } from '../../../base/json-values.ts';
import { checkpointLimits, unusable } from '../files/checkpoint-error.ts';
import type { CheckpointFolder } from '../files/checkpoint-folder.ts';
import { asString, type ConfigObject, isUint32, objectsOf } from '../files/json-object.ts';

export interface AddedToken {
  readonly id: number;
  readonly content: string;
  readonly special: boolean;
}

export interface TokenizerFiles {
  /** Undefined: there is no tokenizer.json. */
  readonly json: ConfigObject | undefined;
  /** The part `model` of tokenizer.json. */
  readonly model: ConfigObject;
  /** The added tokens in tokenizer.json. */
  readonly added: readonly AddedToken[];
  /** tokenizer_config.json. */
  readonly settings: ConfigObject;
  readonly chatTemplate: unknown;
}

export async function readTokenizerFiles(folder: CheckpointFolder): Promise<TokenizerFiles> {
  const json = folder.has('tokenizer.json')
    ? await folder.readObject('tokenizer.json', checkpointLimits.tokenizerBytes)
    : undefined;
  const settings = await folder.readObject('tokenizer_config.json');
  return {
    json,
    model: asObject(json?.['model']),
    added: objectsOf(json?.['added_tokens']).map(readAddedToken),
    settings,
    chatTemplate: settings['chat_template'] ?? (await readTemplateFile(folder)),
  };
}

function readAddedToken({ id, content, special }: ConfigObject): AddedToken {
  if (!isUint32(id) || typeof content !== 'string') throw unusable('an added token of tokenizer.json is not valid');
  return { id, content, special: special === true };
}

async function readTemplateFile(folder: CheckpointFolder): Promise<unknown> {
  const text = await folder.readText('chat_template.jinja');
  return text ?? (await folder.readObject('chat_template.json'))['chat_template'];
}

/** Added tokens in tokenizer_config.json. */
export function declaredTokens({ settings }: TokenizerFiles): AddedToken[] {
  return Object.entries(asObject(settings['added_tokens_decoder'])).map(([id, token]) =>
    readAddedToken({ ...asObject(token), id: Number(id) }),
  );
}

/** The text of a special token in tokenizer_config.json: a string, or an object with one. */
export function specialToken(settings: ConfigObject, name: string): string | undefined {
  const entry = settings[name];
  return asString(entry) ?? asString(asObject(entry)['content']);
}

/** Token by id. Ids are unsigned and below the limit of a vocabulary. */
export function readVocabulary({ model }: TokenizerFiles): Map<number, string> {
  const tokens = new Map<number, string>();
  for (const [token, id] of Object.entries(asObject(model['vocab']))) {
    if (!isUint32(id) || id >= checkpointLimits.tokens) throw unusable('a token of tokenizer.json has an invalid id');
    tokens.set(id, token);
  }
  if (tokens.size === 0) throw unusable('tokenizer.json has no vocabulary');
  return tokens;
}
