// Names for lists of models, as a setting: `fast=qwen3:4b,gpu/qwen3:4b;trial=a*9,b*1`.

import type { SettingKind } from './kinds.ts';

interface AliasTarget {
  /** The name of a model. */
  readonly model: string;
  /** How many of the requests begin with it, in relation to the others. Absent: the order decides. */
  readonly weight?: number;
}

/** By the name of the alias. */
type AliasTable = ReadonlyMap<string, readonly AliasTarget[]>;

const limits = { maxAliases: 100, maxTargets: 16, maxCharacters: 20_000 };
const aliasName = /^[A-Za-z0-9_][\w.-]{0,79}(?::[A-Za-z0-9_][\w.-]{0,79})?$/;
const target = /^([^\s*;,=]{1,600})(?:\*(\d{1,4}))?$/;

export const modelAliases: SettingKind<AliasTable> = {
  name: 'aliases',
  expects:
    'names with lists of models, such as fast=a,b;trial=a*9,b*1: weights from 1 on for all models of a list or none',
  parse(text) {
    if (text.length > limits.maxCharacters) return undefined;
    const entries = text.split(';').map((entry) => entry.trim());
    const given = entries.filter((entry) => entry !== '').map(parseAlias);
    const table = new Map(given.filter((entry) => entry !== undefined));
    return table.size === given.length && table.size <= limits.maxAliases ? table : undefined;
  },
};

/** Undefined if it is invalid. */
function parseAlias(entry: string): [string, readonly AliasTarget[]] | undefined {
  const [name = '', list = '', ...rest] = entry.split('=').map((part) => part.trim());
  const targets = list.split(',').map((part) => parseTarget(part.trim()));
  const known = targets.filter((one) => one !== undefined);
  const weighted = known.filter(({ weight }) => weight !== undefined).length;
  const isValid =
    aliasName.test(name) &&
    rest.length === 0 &&
    known.length === targets.length &&
    known.length <= limits.maxTargets &&
    (weighted === 0 || weighted === known.length);
  return isValid ? [name, known] : undefined;
}

function parseTarget(text: string): AliasTarget | undefined {
  const [, model, weight] = target.exec(text) ?? [];
  if (model === undefined || Number(weight) === 0) return undefined;
  return weight === undefined ? { model } : { model, weight: Number(weight) };
}
