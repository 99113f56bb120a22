// Names of the files of the prefix cache on disk. The runner writes the files, and the server decides which are removed:
// the name tells it what a file is worth, so that it opens none of them.
//
//   <key>-<tokens>-<work>.prefix    hashes, and tokens times bytes of weights in units of 2^30
//   .<random>.unfinished            while it is written

interface PrefixFileName {
  /** Identifies the model and how it is computed. */
  readonly key: string;
  /** Identifies the tokens and who may share them. */
  readonly tokens: string;
  /** The work that the file saves. */
  readonly work: number;
}

const keyDigits = 16;
const tokensDigits = 32;
const pattern = /^([0-9a-f]{16})-([0-9a-f]{32})-(\d{1,12})\.prefix$/;
const unfinished = /^\.[0-9a-f]{16}\.unfinished$/;

export function formatPrefixFileName({ key, tokens, work }: PrefixFileName): string {
  return `${key.slice(0, keyDigits)}-${tokens.slice(0, tokensDigits)}-${work}.prefix`;
}

export function parsePrefixFileName(name: string): PrefixFileName | undefined {
  const [, key, tokens, work] = pattern.exec(name) ?? [];
  return key === undefined || tokens === undefined ? undefined : { key, tokens, work: Number(work) };
}

export function unfinishedName(random: string): string {
  return `.${random}.unfinished`;
}

export function isUnfinished(name: string): boolean {
  return unfinished.test(name);
}
