// A model to measure.

export interface Subject {
  readonly name: string;
  readonly path: string;
  /** Tokens to generate per measurement. */
  readonly tokens: number;
  /** Words of freshText that make a thousand tokens. */
  readonly thousand: number;
  /** Texts to embed per measurement. */
  readonly texts: number;
  /** Minimum ratios to the bare loop. */
  readonly goals: { readonly one?: number; readonly eight?: number; readonly embed?: number };
}
