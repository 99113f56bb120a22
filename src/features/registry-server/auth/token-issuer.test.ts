import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { silentLogger } from '../../../base/logger.ts';
import { generatePrivateKey, type PrivateKey } from '../../../models/keys/private-key.ts';
import { toPublicBlobText } from '../../../models/keys/public-key.ts';
import { signTokenRequest, type TokenRequestParameters } from '../../../models/keys/token-request.ts';
import { createTokenIssuer } from './token-issuer.ts';
import { createTokens } from './tokens.ts';

const address = 'http://127.0.0.1:5000';
const [ann, unregistered] = [generatePrivateKey('ann'), generatePrivateKey('')];
let nonces = 0;

function createIssuer(clock = createFakeClock(1_700_000_000_000)) {
  const tokens = createTokens(clock);
  const keys = { find: async (text: string) => (text === toPublicBlobText(ann.publicKey) ? 'ann' : undefined) };
  const issuer = createTokenIssuer({ clock, keys, tokens, logger: silentLogger });
  const sign = (key: PrivateKey, changes: Partial<TokenRequestParameters> = {}) => {
    const { url, authorization } = signTokenRequest(key, {
      realm: `${address}/token`,
      service: '127.0.0.1:5000',
      scopes: ['repository:ann/ember:pull,push'],
      nowSeconds: clock.now() / 1000,
      nonce: `nonce-number-${String(nonces++).padStart(6, '0')}`,
      ...changes,
    });
    return { address, target: url.slice(url.indexOf('/token')), authorization };
  };
  return { clock, tokens, issuer, sign };
}

describe('a token request', () => {
  it('signed with a registered key is granted', async () => {
    const { issuer, sign, tokens } = createIssuer();
    const scopes = ['repository:ann/ember:pull,push', 'repository:bob/x:pull repository:bob/y:pull', 'nonsense'];
    expect(tokens.check(await issuer(sign(ann, { scopes })))).toEqual({
      subject: toPublicBlobText(ann.publicKey),
      scopes: [
        { type: 'repository', name: 'ann/ember', actions: ['pull', 'push'] },
        { type: 'repository', name: 'bob/x', actions: ['pull'] },
        { type: 'repository', name: 'bob/y', actions: ['pull'] },
      ],
    });
  });

  it('signed with another key is denied, with the line to register', async () => {
    const { issuer, sign } = createIssuer();
    await expect(issuer(sign(unregistered))).rejects.toMatchObject({
      protocol: { code: 'DENIED' },
      message: expect.stringContaining(`"ssh-ed25519 ${toPublicBlobText(unregistered.publicKey)}" is not registered`),
    });
  });

  it('cannot be replayed', async () => {
    const { issuer, sign, clock } = createIssuer();
    const request = sign(ann, { nowSeconds: clock.now() / 1000 + 299 });
    await issuer(request);
    await expect(issuer(request)).rejects.toThrow('has been used before');
    clock.advance(598_000);
    await expect(issuer(request)).rejects.toThrow('has been used before');
    clock.advance(10_000);
    await expect(issuer(request)).rejects.toThrow('off by more than five minutes');
  });

  it('cannot be replayed after a restart', async () => {
    const { issuer, sign, clock } = createIssuer();
    const request = sign(ann);
    await issuer(request);
    clock.advance(2000);
    const restarted = createIssuer(clock);
    await expect(restarted.issuer(request)).rejects.toThrow('signed before this registry started');
    await restarted.issuer(restarted.sign(ann));
  });

  it.each([-301, 301])('with a clock skew of %i seconds is rejected', async (seconds) => {
    const { issuer, sign, clock } = createIssuer();
    await expect(issuer(sign(ann, { nowSeconds: clock.now() / 1000 + seconds }))).rejects.toThrow('off by more than');
  });

  it('signed for another registry, changed or unsigned is rejected', async () => {
    const { issuer, sign } = createIssuer();
    const request = sign(ann);
    const cases = [
      { ...request, address: 'http://other.example:5000' },
      { ...request, target: request.target.replace('ann', 'bob') },
      { ...request, target: `${request.target}&scope=registry%3Acatalog%3A*` },
      { ...request, authorization: sign(unregistered).authorization },
    ];
    for (const changed of cases) await expect(issuer(changed)).rejects.toThrow('does not match');
    await expect(issuer({ ...request, authorization: undefined })).rejects.toThrow('signed with a registered key');
    await expect(issuer({ ...request, authorization: 'Basic eDp5' })).rejects.toThrow('not signed');
    await expect(issuer(sign(ann, { service: 'other' }))).rejects.toThrow('another service');
  });

  it('without a nonce or with too many scopes is rejected', async () => {
    const { issuer, sign } = createIssuer();
    await expect(issuer(sign(ann, { nonce: '' }))).rejects.toThrow('no nonce');
    const scopes = Array.from({ length: 17 }, (_, index) => `repository:a/b${index}:pull`);
    await expect(issuer(sign(ann, { scopes }))).rejects.toThrow('more than 16 scopes');
  });
});
