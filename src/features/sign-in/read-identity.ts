// Who a user is, from the claims of the provider. Claims are hostile: users choose some of them, and their number and
// sizes are not limited by any standard.

import type { ClaimRule } from '../../base/config/sign-in-kinds.ts';
import { isObject } from '../../base/json-values.ts';

export type Claims = Readonly<Record<string, unknown>>;

export interface Identity {
  readonly subject: string;
  /** A name for people, with the characters of a key name; not unique. */
  readonly name: string;
  /** Absent: the user may not use the server. */
  readonly scope?: 'infer' | 'admin';
}

interface RoleRules {
  readonly admins: readonly ClaimRule[];
  /** Empty: everyone whom the provider signs in. */
  readonly users: readonly ClaimRule[];
}

const limits = {
  /** OpenID Connect Core allows 255. */
  subjectCharacters: 255,
  /** A claim with more values counts as absent. */
  values: 2000,
  nameCharacters: 40,
} as const;

/** Undefined if the claims are not usable. */
export function readIdentity(claims: Claims, { admins, users }: RoleRules): Identity | undefined {
  const { sub } = claims;
  if (typeof sub !== 'string' || sub === '' || sub.length > limits.subjectCharacters) return undefined;
  const identity = { subject: sub, name: nameOf(claims) };
  if (admins.some((rule) => matches(claims, rule))) return { ...identity, scope: 'admin' };
  if (users.length === 0 || users.some((rule) => matches(claims, rule))) return { ...identity, scope: 'infer' };
  return identity;
}

function matches(claims: Claims, { claim, value }: ClaimRule): boolean {
  // Some providers let users write any address.
  if (claim === 'email' && claims['email_verified'] !== true) return false;
  return valuesOf(claims, claim).includes(value);
}

/** `realm_access.roles` is the field `roles` of the claim `realm_access`, unless a claim has this name. */
function valuesOf(claims: Claims, name: string): readonly unknown[] {
  const value = Object.hasOwn(claims, name) ? claims[name] : fieldOf(claims, name.split('.'));
  if (!Array.isArray(value)) return [value];
  return value.length > limits.values ? [] : value;
}

function fieldOf(claims: Claims, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, field) => (isObject(value) && Object.hasOwn(value, field) ? value[field] : undefined),
    claims,
  );
}

function nameOf(claims: Claims): string {
  const candidates = ['preferred_username', 'email', 'nickname', 'name', 'sub'].map((claim) => claims[claim]);
  const names = candidates.map((candidate) => (typeof candidate === 'string' ? toName(candidate) : ''));
  return names.find((name) => name !== '') ?? 'user';
}

/** Empty if no character can be part of a name. */
function toName(text: string): string {
  const plain = text
    .slice(0, 200)
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9._@ -]/g, '')
    .trim()
    .replaceAll(' ', '.');
  return plain.replace(/^[^A-Za-z0-9]+/, '').slice(0, limits.nameCharacters);
}
