// Errors and limits of conversions. The caller chose the files, so all errors are errors in the request. The limits bound
// the memory that a forged file can take, besides its weights.

import { HearthError } from '../../../base/errors.ts';

export function unusable(what: string): HearthError {
  return new HearthError('bad_request', `the model cannot be converted: ${what}`);
}

export const checkpointLimits = {
  /** Files of one checkpoint. The largest models have about 200. */
  files: 512,
  /** Bytes of config.json, tokenizer_config.json, modules.json and the like. A chat template is part of the second. */
  configBytes: 16 * 2 ** 20,
  /** Bytes of tokenizer.json. Vocabularies of 260,000 tokens need 35 MB. */
  tokenizerBytes: 128 * 2 ** 20,
  /** Bytes of a SentencePiece model. */
  sentencePieceBytes: 32 * 2 ** 20,
  /** Tokens of a vocabulary. */
  tokens: 2 ** 21,
  layers: 4096,
  experts: 4096,
  /** Rows or other parts of a tensor whose order changes. */
  units: 2 ** 22,
  /** Bytes of a part of a tensor, such as an attention head, that is reordered in memory. */
  reorderedBytes: 256 * 2 ** 20,
} as const;
