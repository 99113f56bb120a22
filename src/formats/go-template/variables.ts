// Variables of a running template. A declaration is valid until the end of its block. An assignment changes the
// innermost variable of that name, so that a loop can change variables outside of it.

import type { Value } from './values/values.ts';

export interface VariableScope {
  readonly values: Map<string, Value>;
  readonly outer: VariableScope | undefined;
}

export function createScope(outer?: VariableScope): VariableScope {
  return { values: new Map(), outer };
}

function scopeOf(scope: VariableScope, name: string): VariableScope | undefined {
  let current: VariableScope | undefined = scope;
  while (current !== undefined && !current.values.has(name)) current = current.outer;
  return current;
}

/** Wrapped in an object, because undefined is a valid value. */
export function findVariable(scope: VariableScope, name: string): { readonly value: Value } | undefined {
  const found = scopeOf(scope, name);
  return found && { value: found.values.get(name) };
}

export function assignVariable(scope: VariableScope, name: string, value: Value, declares: boolean): void {
  const target = declares ? scope : scopeOf(scope, name);
  if (target === undefined) throw new Error(`undefined variable: ${name}`);
  target.values.set(name, value);
}
