import { afterAll, expect, test } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { createLogger } from '../../base/logger.ts';
import { dialectTable } from '../compose/dialect-table.ts';
import { ollamaDialect } from '../dialects/shared/ollama-dialect.ts';
import { RequestTable } from './requests.ts';
import { createHttpServer } from './server.ts';

const clock = createFakeClock();
const lines: string[] = [];
const logger = createLogger({ clock, level: 'info', write: (line) => void lines.push(line) });
const path = '/home/anna/.hearth/chats';

const app = createHttpServer({
  routes: [
    {
      dialect: ollamaDialect,
      method: 'GET',
      path: '/api/fail/:code',
      scope: 'open',
      tag: 'Server',
      summary: 'Fails',
      handle({ params }) {
        const { code } = params as { readonly code: string };
        throw Object.assign(new Error(`${code}: failed, open '${path}'`), { code, syscall: 'open', path });
      },
    },
  ],
  dialects: dialectTable,
  requests: new RequestTable({ clock, logger }),
  maxBodyBytes: 1000,
  isAllowedOrigin: () => true,
  clock,
  logger,
});
afterAll(() => app.close());

test.each([
  ['ENOSPC', 507, 'disk_full'],
  ['EDQUOT', 507, 'disk_full'],
  ['EROFS', 500, 'store_read_only'],
  ['EACCES', 500, 'store_read_only'],
  ['ENOENT', 500, 'internal'],
])('%s has the status %i and no path; the log has it', async (code, status, name) => {
  lines.length = 0;
  const response = await app.inject({ method: 'GET', url: `/api/fail/${code}` });
  expect([response.statusCode, response.json()]).toEqual([status, { error: expect.any(String), code: name }]);
  expect(response.body).not.toContain('anna');
  expect(lines.join('')).toContain(path);
});

test.each(['EMFILE', 'ENFILE'])('%s is a busy server, without a path', async (code) => {
  const response = await app.inject({ method: 'GET', url: `/api/fail/${code}` });
  expect([response.statusCode, response.json().code]).toEqual([503, 'busy']);
  expect(response.body).not.toContain('anna');
});

test('a key that was pasted into a path is not logged', async () => {
  const secret = `${'Qx'.repeat(21)}z`;
  const key = `hearth_0123456789abcdef_${secret}`;
  for (const url of [`/${key}`, `/v1/${key}/chat`, `/api/fail/${key}`, '/sk-proj-0123456789abcdefghij'])
    await app.inject({ method: 'GET', url });
  expect(lines.join('')).toContain('hearth_0123456789abcdef_…');
  expect(lines.join('')).not.toContain('QxQx');
  expect(lines.join('')).not.toContain('0123456789abcdefghij');
});
