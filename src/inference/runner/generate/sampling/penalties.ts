// Repetition, presence and frequency penalties, applied to the logits. llama.cpp's own sampler looks up every token of
// the vocabulary; this one visits only the recent tokens, the only ones that can change.

import type { Vocabulary } from '../../llama/vocabulary.ts';

export interface PenaltySettings {
  /** How many tokens to look back. Negative: the entire context. */
  readonly repeatLastN: number;
  readonly repeatPenalty: number;
  readonly presencePenalty: number;
  readonly frequencyPenalty: number;
  /** Whether newlines are penalized too. */
  readonly penalizeNewline: boolean;
}

export function createPenalties(
  settings: PenaltySettings,
  { contextLength, vocabulary }: { readonly contextLength: number; readonly vocabulary: Pick<Vocabulary, 'isNewline'> },
) {
  const { repeatPenalty: repeat, presencePenalty: presence, frequencyPenalty: frequency } = settings;
  const window = settings.repeatLastN < 0 ? contextLength : settings.repeatLastN;
  const isExempt = settings.penalizeNewline ? () => false : vocabulary.isNewline;
  if (window <= 0 || (repeat === 1 && presence === 0 && frequency === 0)) {
    return { accept: () => {}, apply: () => {} };
  }
  const recent: number[] = [];
  const occurrences = new Map<number, number>();

  return {
    accept(token: number): void {
      recent.push(token);
      occurrences.set(token, (occurrences.get(token) ?? 0) + 1);
      if (recent.length <= window) return;
      const oldest = recent.shift() as number;
      const left = (occurrences.get(oldest) ?? 0) - 1;
      if (left > 0) occurrences.set(oldest, left);
      else occurrences.delete(oldest);
    },
    apply(logits: Float32Array): void {
      for (const [token, count] of occurrences) {
        const logit = logits[token];
        if (logit === undefined || isExempt(token)) continue;
        // Dividing a negative logit would make the token likelier.
        const repeated = logit <= 0 ? logit * repeat : logit / repeat;
        logits[token] = repeated - count * frequency - presence;
      }
    },
  };
}
