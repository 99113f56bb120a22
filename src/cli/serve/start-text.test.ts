import { expect, test } from 'vitest';
import { listensEverywhere, startText } from './start-text.ts';

const address = 'http://127.0.0.1:11434';

test('the start offers a model that is there', () => {
  expect(startText({ address, page: true, host: '127.0.0.1', requiresKey: false, model: 'mine' })).toBe(
    `Hearth is listening on ${address}\nOpen ${address} in a browser to chat.\n\nTry it:\n  curl ${address}/api/generate -d '{"model": "mine", "prompt": "Why is the sky blue?"}'\n`,
  );
});

test('without the page, the start does not offer a browser', () => {
  const text = startText({ address, page: false, host: '127.0.0.1', requiresKey: false, model: 'mine' });
  expect(text).not.toContain('browser');
});

test('a Unix socket is for curl, not for a browser', () => {
  const text = startText({ address: 'unix:/run/h.sock', page: true, host: '', requiresKey: false, model: 'mine' });
  expect(text).toMatch(
    /^Hearth is listening on unix:\/run\/h\.sock\n\nTry it:\n {2}curl --unix-socket \/run\/h\.sock http:\/\/localhost\/api\/generate -d/,
  );
});

test('without a model, the start says how to get one', () => {
  expect(startText({ address, page: true, host: '127.0.0.1', requiresKey: false, model: undefined })).toMatch(
    /no model yet.*\n {2}hearth pull ember\n/,
  );
});

test('listening on all interfaces is said', () => {
  const text = startText({ address, page: true, host: '0.0.0.0', requiresKey: false, model: 'ember' });
  expect(text).toMatch(
    /^Hearth is listening on http:\/\/127\.0\.0\.1:11434 and on all interfaces: everyone on the network/,
  );
});

test('with keys, the start says so and sends one', () => {
  const text = startText({ address, page: true, host: '0.0.0.0', requiresKey: true, model: 'ember' });
  expect(text).toContain('on all interfaces; every request needs a key\n');
  expect(text).toContain('-H "Authorization: Bearer $HEARTH_API_KEY" -d');
});

test.each([
  ['0.0.0.0', true],
  ['::', true],
  ['0:0:0:0:0:0:0:0', true],
  ['127.0.0.1', false],
  ['::1', false],
  ['10.0.0.0', false],
  ['localhost', false],
])('%s is all interfaces: %s', (host, expected) => {
  expect(listensEverywhere(host)).toBe(expected);
});

test('with a private authority, the example for curl names it', () => {
  const options = {
    address: 'https://127.0.0.1:11434',
    page: true,
    host: '127.0.0.1',
    requiresKey: false,
    model: 'ember',
  };
  expect(startText({ ...options, caFile: '/home/anna/ca.pem' })).toContain(
    'curl --cacert /home/anna/ca.pem https://127.0.0.1:11434/api/generate',
  );
});
