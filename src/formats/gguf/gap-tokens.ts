// The tokens of a vocabulary that mark the texts around a gap, for models that fill gaps. A file names them by their
// numbers, or they are found by the texts that families of models use.

import type { GgufMetadata } from './metadata.ts';

export interface GapTokens {
  readonly before: number;
  readonly after: number;
  /** Begins the answer. */
  readonly gap: number;
  /** Begins the name of the project. */
  readonly project: number | undefined;
  /** Begins the name and the text of a file. */
  readonly file: number | undefined;
}

interface Row {
  readonly keys: readonly string[];
  readonly texts: readonly string[];
}

const rows: Readonly<Record<keyof GapTokens, Row>> = {
  before: {
    keys: ['fim_pre_token_id', 'prefix_token_id'],
    texts: [
      ...['<|fim_prefix|>', '<fim-prefix>', '<fim_prefix>', '<｜fim▁begin｜>', '<PRE>', '▁<PRE>'],
      ...['<|code_prefix|>', '<|prefix|>'],
    ],
  },
  after: {
    keys: ['fim_suf_token_id', 'suffix_token_id'],
    texts: [
      ...['<|fim_suffix|>', '<fim-suffix>', '<fim_suffix>', '<｜fim▁hole｜>', '<SUF>', '▁<SUF>'],
      ...['<|code_suffix|>', '<|suffix|>'],
    ],
  },
  gap: {
    keys: ['fim_mid_token_id', 'middle_token_id'],
    texts: [
      ...['<|fim_middle|>', '<fim-middle>', '<fim_middle>', '<｜fim▁end｜>', '<MID>', '▁<MID>'],
      ...['<|code_middle|>', '<|middle|>'],
    ],
  },
  project: {
    keys: ['fim_rep_token_id'],
    texts: ['<|fim_repo|>', '<|repo_name|>', '<fim-repo>', '<REPO>', '<reponame>'],
  },
  file: { keys: ['fim_sep_token_id'], texts: ['<|file_sep|>'] },
};

/** Undefined if the model cannot fill gaps. */
export function findGapTokens(metadata: GgufMetadata): GapTokens | undefined {
  const listed = metadata.get('tokenizer.ggml.tokens');
  const texts: readonly unknown[] = Array.isArray(listed) ? listed : [];
  const wanted = new Set(Object.values(rows).flatMap((row) => row.texts));
  const found = new Map<unknown, number>();
  texts.forEach((text, token) => {
    if (typeof text === 'string' && wanted.has(text)) found.set(text, token);
  });
  const find = ({ keys, texts: names }: Row): number | undefined => {
    const numbers = keys.map((key) => metadata.get(`tokenizer.ggml.${key}`));
    const declared = numbers.find((number) => isToken(number, texts.length));
    return (
      (declared as number | undefined) ?? names.map((name) => found.get(name)).find((token) => token !== undefined)
    );
  };
  const [before, after, gap] = [find(rows.before), find(rows.after), find(rows.gap)];
  if (before === undefined || after === undefined || gap === undefined) return undefined;
  return { before, after, gap, project: find(rows.project), file: find(rows.file) };
}

function isToken(value: unknown, size: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < size;
}
