// Variables while a template runs. A declaration lasts until its block ends; an assignment changes the nearest
// variable of that name, so that a loop can change what stands outside it.

import type { Value } from './values.ts';

export interface Scope {
  readonly values: Map<string, Value>;
  readonly outer: Scope | undefined;
}

export function createScope(outer?: Scope): Scope {
  return { values: new Map(), outer };
}

function scopeOf(scope: Scope, name: string): Scope | undefined {
  let current: Scope | undefined = scope;
  while (current !== undefined && !current.values.has(name)) current = current.outer;
  return current;
}

/** Undefined is a value as well, hence the answer in a box. */
export function findVariable(scope: Scope, name: string): { readonly value: Value } | undefined {
  const found = scopeOf(scope, name);
  return found && { value: found.values.get(name) };
}

export function setVariable(scope: Scope, name: string, value: Value, declares: boolean): void {
  const target = declares ? scope : scopeOf(scope, name);
  if (target === undefined) throw new Error(`undefined variable: ${name}`);
  target.values.set(name, value);
}
