// The key that a request carries, as far as the rest of the program needs it. The secret is not part of it. A user who has
// signed in is a key, too.

/** Each scope includes the ones before it. */
export const keyScopes = ['infer', 'manage', 'admin'] as const;
export type KeyScope = (typeof keyScopes)[number];

/** What an administrator may choose for a key. */
export const keyRules = {
  /** Names of keys and of groups. */
  name: '^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$',
  /** Names or patterns of models. */
  model: '^[\\x21-\\x7e]{1,200}$',
  maxModels: 100,
  maxWeight: 1000,
  /** Requests per minute and tokens per day. */
  maxQuota: 1e12,
} as const;

export interface CallerKey {
  /** Random; a key that was revoked and created again has another one. */
  readonly id: string;
  /** Unique among the keys that exist. */
  readonly name: string;
  readonly scope: KeyScope;
  /** Only keys of one group share evaluated prompts. A key without a group is the only one in its own. */
  readonly group: string;
  /** Patterns of the names of models that the key can see and use; empty: all. */
  readonly models: readonly string[];
  /** Share of the slots, relative to the other keys that wait. */
  readonly weight: number;
  /** The id of the user's own key that the request carries: the key above is then the user. */
  readonly credential?: string;
}

/** The scope that allows what both allow. */
export function lesserScope(one: KeyScope, other: KeyScope): KeyScope {
  return includesScope(one, other) ? other : one;
}

export function includesScope(held: KeyScope, needed: KeyScope): boolean {
  return keyScopes.indexOf(held) >= keyScopes.indexOf(needed);
}
