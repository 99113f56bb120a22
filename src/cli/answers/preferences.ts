// What a user prefers for answers, by flags of `hearth run` and by /set.

export const thinkLevels = ['low', 'medium', 'high', 'max'] as const;
export type Think = boolean | (typeof thinkLevels)[number];

export interface Preferences {
  readonly wordWrap: boolean;
  readonly verbose: boolean;
  readonly hideThinking: boolean;
  /** undefined: the default of the model. */
  readonly think?: Think;
  /** "json" or a schema. */
  readonly format?: unknown;
  readonly keepAlive?: string | number;
}
