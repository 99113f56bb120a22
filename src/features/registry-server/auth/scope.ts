// Access scopes: what a token permits.
//
//   scope   = type ":" name ":" action { "," action }
//             repository:ann/ember:pull,push   |   registry:catalog:*

export interface AccessScope {
  readonly type: string;
  readonly name: string;
  readonly actions: readonly string[];
}

const maxScope = 512;

/** Undefined for an invalid scope, which is not granted. */
export function parseScope(text: string): AccessScope | undefined {
  if (text.length > maxScope) return undefined;
  const [first, last] = [text.indexOf(':'), text.lastIndexOf(':')];
  const type = text.slice(0, Math.max(first, 0));
  const name = text.slice(first + 1, last);
  const actions = text.slice(last + 1).split(',');
  const isValid = last > first + 1 && /^[a-z]+$/.test(type) && actions.every((action) => /^[a-z*]+$/.test(action));
  return isValid && !/[\r\n]/.test(name) ? { type, name, actions } : undefined;
}

export function formatScope({ type, name, actions }: AccessScope): string {
  return `${type}:${name}:${actions.join(',')}`;
}

export function repositoryScope(name: string, action: 'pull' | 'push'): AccessScope {
  // A push first checks which blobs exist.
  return { type: 'repository', name, actions: action === 'push' ? ['pull', 'push'] : ['pull'] };
}

export const catalogScope: AccessScope = { type: 'registry', name: 'catalog', actions: ['*'] };

export function covers(granted: readonly AccessScope[], { type, name, actions }: AccessScope): boolean {
  const held = granted.filter((scope) => scope.type === type && scope.name === name).flatMap((scope) => scope.actions);
  return actions.every((action) => held.includes(action));
}

const grantable: Readonly<Record<string, readonly string[]>> = { repository: ['pull', 'push'], registry: ['*'] };

/** The part of the requested scopes that a registered key may have. */
export function toGrantedScopes(requested: readonly AccessScope[]): AccessScope[] {
  return requested
    .map(({ type, name, actions }) => {
      const known = Object.hasOwn(grantable, type) ? (grantable[type] ?? []) : [];
      return { type, name, actions: actions.filter((action) => known.includes(action)) };
    })
    .filter(({ actions }) => actions.length > 0);
}
