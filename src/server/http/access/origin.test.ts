import { describe, expect, test } from 'vitest';
import { hearthHeaders } from '../hearth-headers.ts';
import { corsHeaders, createOriginCheck } from './origin.ts';

const isVerifiedHost = (name: string | undefined): boolean => name === 'myhost:11434';
const check = createOriginCheck({
  allowed: ['https://app.example.com', 'https://*.Example.org', 'http://192.168.1.*', 'moz-extension://*'],
  isVerifiedHost,
});
const host = '127.0.0.1:11434';

describe('allowed', () => {
  test.each([
    'http://localhost',
    'https://localhost:3000',
    'http://127.0.0.1:8080',
    'http://0.0.0.0',
    'http://[::1]:5173',
    'app://obsidian.md',
    'file://',
    'tauri://localhost',
    'vscode-webview://abc',
    'moz-extension://abcdef',
    'https://app.example.com',
    'https://deep.example.org',
    'http://192.168.1.7',
    'http://127.0.0.1:11434',
  ])('%s', (origin) => {
    expect(check(origin, host)).toBe(true);
  });

  test('a page of this server', () => {
    expect(check('http://myhost:11434', 'myhost:11434')).toBe(true);
  });

  test('every origin, if the setting is *', () => {
    expect(createOriginCheck({ allowed: ['*'], isVerifiedHost })('https://anything.at.all', host)).toBe(true);
  });
});

describe('refused', () => {
  test.each([
    'https://evil.com',
    'http://localhost.evil.com',
    'http://localhost:3000.evil.com',
    'http://127.0.0.1.evil.com',
    'https://app.example.com.evil.com',
    'https://evil.com/https://app.example.com',
    'null',
    '',
    'javascript://localhost',
    'chrome-extension://abcdef',
    'safari-web-extension://abcdef',
    'https://example.org',
  ])('%s', (origin) => {
    expect(check(origin, host)).toBe(false);
  });
});

test.each(['chrome-extension', 'moz-extension', 'safari-web-extension', 'ms-browser-extension'])(
  '%s needs the setting',
  (scheme) => {
    const checkWith = (allowed: readonly string[]) => createOriginCheck({ allowed, isVerifiedHost });
    expect(checkWith([])(`${scheme}://abcdef`, host)).toBe(false);
    expect(checkWith([`${scheme}://*`])(`${scheme}://abcdef`, host)).toBe(true);
  },
);

test('an origin that equals a Host header which does not name this server is refused', () => {
  expect(check('http://evil.example:11434', 'evil.example:11434')).toBe(false);
  expect(check('http://', '')).toBe(false);
  expect(check('http://undefined', undefined)).toBe(false);
});

test('a page may read every header of Hearth, and those that clients use', () => {
  const exposed = corsHeaders('http://localhost')['access-control-expose-headers']?.toLowerCase().split(',');
  const others = ['x-request-id', 'request-id', 'retry-after', 'server-timing', 'mcp-session-id'];
  expect(exposed?.sort()).toEqual([...others, ...Object.values(hearthHeaders)].sort());
  expect(exposed).toContain('x-hearth-unenforced-keywords');
});
