// What a tokenizer adds before and after a text, from the post-processor in tokenizer.json. Only the usual templates are
// understood: one token before, one after, and one or two between the texts of a pair.

import { asObject } from '../../../base/json-values.ts';
import { asString, type ConfigObject, objectsOf } from '../files/json-object.ts';
import { specialToken, type TokenizerFiles } from './tokenizer-files.ts';

export interface TextFrame {
  /** Texts of special tokens by kind, where they differ from tokenizer_config.json. */
  readonly tokens: ReadonlyMap<string, string>;
  readonly adds: { readonly bos?: boolean; readonly eos?: boolean; readonly sep?: boolean };
}

interface Draft {
  readonly tokens: Map<string, string>;
  readonly adds: { bos?: boolean; eos?: boolean; sep?: boolean };
  /** Without tokenizer_config.json, the template itself defines the special tokens. */
  readonly hasSettings: boolean;
}

export function addedAroundText({ json, settings }: TokenizerFiles): TextFrame {
  const draft: Draft = { tokens: new Map(), adds: {}, hasSettings: Object.keys(settings).length > 0 };
  for (const kind of ['bos', 'cls', 'eos', 'sep']) {
    const token = specialToken(settings, `${kind}_token`);
    if (token !== undefined && token !== '') draft.tokens.set(kind, token);
  }
  if (json === undefined) return draft;
  setIfAbsent(draft, 'bos', draft.tokens.get('cls'));
  setIfAbsent(draft, 'eos', draft.tokens.get('sep'));
  const processor = asObject(json['post_processor']);
  const processors = 'processors' in processor ? objectsOf(processor['processors']) : [processor];
  for (const own of processors) {
    if (own['type'] === 'RobertaProcessing') readRoberta(draft, own);
    else if (own['type'] === 'TemplateProcessing') readTemplate(draft, own);
  }
  return draft;
}

function setIfAbsent({ tokens }: Draft, kind: string, token: string | undefined): void {
  if (token !== undefined && !tokens.has(kind)) tokens.set(kind, token);
}

function readRoberta(draft: Draft, { cls, sep }: ConfigObject): void {
  Object.assign(draft.adds, { bos: true, eos: true, sep: true });
  setIfAbsent(draft, 'cls', firstOf(cls) ?? draft.tokens.get('bos'));
  setIfAbsent(draft, 'sep', firstOf(sep) ?? draft.tokens.get('eos'));
}

function firstOf(value: unknown): string | undefined {
  return Array.isArray(value) ? asString(value[0]) : undefined;
}

function readTemplate(draft: Draft, processor: ConfigObject): void {
  const single = objectsOf(processor['single']);
  const first = single.length > 1 ? tokenOf(single[0]) : undefined;
  const last = single.length > 1 ? tokenOf(single.at(-1)) : undefined;
  if (first !== undefined) readFirst(draft, first);
  if (last !== undefined) readLast(draft, last);
  const pair = objectsOf(processor['pair']);
  if (pair.length > 0) readPair(draft, pair, { first, last });
}

function readFirst({ tokens, adds, hasSettings }: Draft, first: string): void {
  const isKnown = (): boolean => first === tokens.get('bos') || first === tokens.get('cls');
  if (!hasSettings) tokens.set('bos', first);
  else if (!isKnown()) {
    if (!tokens.has('bos')) tokens.set('bos', first);
    if (!tokens.has('cls')) tokens.set('cls', first);
  }
  adds.bos = isKnown();
}

function readLast({ tokens, adds, hasSettings }: Draft, last: string): void {
  const end = tokens.get('eos');
  // The end of a text is another token than the end of a turn.
  if (hasSettings && last !== end && end !== undefined) tokens.set(tokens.has('eot') ? 'eom' : 'eot', end);
  tokens.set('eos', last);
  adds.eos = true;
}

function readPair(
  draft: Draft,
  pair: readonly ConfigObject[],
  { first, last }: { readonly first: string | undefined; readonly last: string | undefined },
): void {
  const start = first !== undefined && tokenOf(pair[0]) === first ? 1 : 0;
  const end = last !== undefined && tokenOf(pair.at(-1)) === last ? pair.length - 1 : pair.length;
  const texts = pair.slice(start, end);
  const isPair = sequenceOf(texts[0]) === 'A' && sequenceOf(texts.at(-1)) === 'B';
  const between = texts.slice(1, -1);
  if (!isPair || between.length === 0) return;
  const ends = [draft.tokens.get('sep'), draft.tokens.get('eos')];
  const isEnd = (entry: ConfigObject | undefined): boolean => {
    const token = tokenOf(entry);
    return token !== undefined && ends.includes(token);
  };
  draft.adds.sep = (isEnd(between[0]) && last === undefined) || (between.length === 2 && isEnd(between[1]));
  if (draft.adds.sep) setIfAbsent(draft, 'sep', draft.tokens.get('eos'));
}

function tokenOf(entry: ConfigObject | undefined): string | undefined {
  return asString(asObject(entry?.['SpecialToken'])['id']);
}

function sequenceOf(entry: ConfigObject | undefined): string | undefined {
  return asString(asObject(entry?.['Sequence'])['id']);
}
