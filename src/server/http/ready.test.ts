import { expect, test } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { createDeferred } from '../../base/deferred.ts';
import { silentLogger } from '../../base/logger.ts';
import { dialectTable } from '../compose/dialect-table.ts';
import { ollamaDialect } from '../dialects/shared/ollama-dialect.ts';
import { RequestTable } from './requests.ts';
import type { Route } from './route.ts';
import { createHttpServer } from './server.ts';

test('requests wait until the server is ready, except of routes that need nothing', async () => {
  const ready = createDeferred<void>();
  const events: string[] = [];
  const route = (path: string, rest: Partial<Route> = {}): Route => ({
    dialect: ollamaDialect,
    method: 'GET',
    scope: 'infer',
    path,
    summary: 'Do it',
    handle: () => {
      events.push(path);
      return {};
    },
    ...rest,
  });
  const clock = createFakeClock(0);
  const app = createHttpServer({
    routes: [route('/models'), route('/version', { beforeReady: true })],
    dialects: dialectTable,
    requests: new RequestTable({ clock, logger: silentLogger }),
    whenReady: () => ready.promise,
    maxBodyBytes: 1000,
    isAllowedOrigin: () => true,
    clock,
    logger: silentLogger,
  });
  const waiting = app.inject({ url: '/models' });
  expect((await app.inject({ url: '/version' })).statusCode).toBe(200);
  events.push('ready');
  ready.resolve();
  expect((await waiting).statusCode).toBe(200);
  expect(events).toEqual(['/version', 'ready', '/models']);
  await app.close();
});
