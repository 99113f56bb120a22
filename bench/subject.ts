// A model that is measured.

export interface Subject {
  readonly name: string;
  readonly path: string;
  /** Tokens to generate in one measurement. */
  readonly tokens: number;
  /** The number of words of freshText that make a thousand tokens. */
  readonly thousand: number;
  /** Texts to embed in one measurement. */
  readonly texts: number;
  /** The minimum ratios to the bare loop. */
  readonly goals: { readonly one?: number; readonly eight?: number; readonly embed?: number };
}
