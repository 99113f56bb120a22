// Repetition, presence and frequency penalties, applied straight to the logits. llama.cpp's own sampler looks
// every token of the vocabulary up; only the few that occurred lately can change, so only they are touched.

export interface PenaltySettings {
  /** How many tokens back to look. */
  readonly window: number;
  readonly repeat: number;
  readonly presence: number;
  readonly frequency: number;
  readonly exempt: (token: number) => boolean;
}

export interface Penalties {
  accept(token: number): void;
  apply(logits: Float32Array): void;
}

export function createPenalties({ window, repeat, presence, frequency, exempt }: PenaltySettings): Penalties {
  if (window <= 0 || (repeat === 1 && presence === 0 && frequency === 0)) {
    return { accept: () => {}, apply: () => {} };
  }
  const recent: number[] = [];
  const occurrences = new Map<number, number>();

  return {
    accept(token) {
      recent.push(token);
      occurrences.set(token, (occurrences.get(token) ?? 0) + 1);
      if (recent.length <= window) return;
      const oldest = recent.shift() as number;
      const left = (occurrences.get(oldest) ?? 0) - 1;
      if (left > 0) occurrences.set(oldest, left);
      else occurrences.delete(oldest);
    },
    apply(logits) {
      for (const [token, count] of occurrences) {
        const logit = logits[token];
        if (logit === undefined || exempt(token)) continue;
        // Dividing a negative logit would make the token likelier.
        const repeated = logit <= 0 ? logit * repeat : logit / repeat;
        logits[token] = repeated - count * frequency - presence;
      }
    },
  };
}
