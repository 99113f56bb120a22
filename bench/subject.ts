// A model that is measured.

export interface Subject {
  readonly name: string;
  readonly path: string;
  /** To generate in one measurement. */
  readonly tokens: number;
  /** How many words of freshText make a thousand tokens. */
  readonly thousand: number;
  /** To embed in one measurement. */
  readonly texts: number;
  /** The least ratios to the bare loop. */
  readonly goals: { readonly one?: number; readonly eight?: number; readonly embed?: number };
}
