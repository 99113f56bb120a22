import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { registryServerLimits } from '../limits.ts';
import { catalogScope, covers, formatScope, parseScope, repositoryScope, toGrantedScopes } from './scope.ts';
import { createNonces } from './token-issuer.ts';
import { createTokens } from './tokens.ts';

const grant = { subject: 'AAAA', scopes: [repositoryScope('ann/ember', 'push')] };

describe('a token', () => {
  it('returns its grant until it expires', () => {
    const clock = createFakeClock();
    const tokens = createTokens(clock);
    const token = tokens.issue(grant);
    expect(tokens.check(token)).toEqual(grant);
    clock.advance((registryServerLimits.tokenSeconds - 1) * 1000);
    expect(tokens.check(token)).toEqual(grant);
    clock.advance(1000);
    expect(tokens.check(token)).toBeUndefined();
  });

  it('that was changed or issued by another registry is invalid', () => {
    const clock = createFakeClock();
    const tokens = createTokens(clock);
    const token = tokens.issue(grant);
    const [head, claims = '', mac] = token.split('.');
    const more = Buffer.from(Buffer.from(claims, 'base64url').toString().replace('ann', 'bob')).toString('base64url');
    const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
    for (const forged of ['', 'x', `${head}.${more}.${mac}`, `${none}.${claims}.`, `${head}.${claims}`, `${token}a`])
      expect(tokens.check(forged)).toBeUndefined();
    expect(createTokens(clock).check(token)).toBeUndefined();
  });
});

describe('a scope', () => {
  it('is parsed and formatted', () => {
    for (const text of ['repository:ann/ember:pull,push', 'registry:catalog:*'])
      expect(formatScope(parseScope(text) ?? catalogScope)).toBe(text);
    for (const text of ['', 'repository', 'repository:x', 'repository::pull', 'a:b:', 'A:b:c', 'x'.repeat(1000)])
      expect(parseScope(text)).toBeUndefined();
  });

  it('covers itself and its subsets only', () => {
    const held = [repositoryScope('ann/ember', 'push'), repositoryScope('bob/ember', 'pull')];
    expect(covers(held, repositoryScope('ann/ember', 'pull'))).toBe(true);
    expect(covers(held, repositoryScope('ann/ember', 'push'))).toBe(true);
    expect(covers(held, repositoryScope('bob/ember', 'push'))).toBe(false);
    expect(covers(held, repositoryScope('ann/emb', 'pull'))).toBe(false);
    expect(covers(held, catalogScope)).toBe(false);
  });

  it('is granted only for known types and actions', () => {
    const requested = [
      'repository:ann/ember:pull,delete',
      'repository:ann/ember:*',
      'constructor:x:pull',
      'registry:catalog:*',
    ];
    const scopes = requested.map(parseScope).filter((scope) => scope !== undefined);
    expect(toGrantedScopes(scopes).map(formatScope)).toEqual(['repository:ann/ember:pull', 'registry:catalog:*']);
  });
});

it('a nonce can be used once until it expires, and their number is limited', () => {
  const clock = createFakeClock();
  const nonces = createNonces({ clock, keepMs: 1000, max: 2 });
  expect([nonces.use('a'), nonces.use('a'), nonces.use('b'), nonces.use('c')]).toEqual([
    'fresh',
    'used',
    'fresh',
    'too many',
  ]);
  clock.advance(999);
  expect(nonces.use('a')).toBe('used');
  clock.advance(1);
  expect([nonces.use('a'), nonces.use('c')]).toEqual(['fresh', 'fresh']);
});
