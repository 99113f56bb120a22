// Keys and quotas of several servers in one PostgreSQL.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { silentLogger } from '../../src/base/logger.ts';
import { systemClock } from '../../src/base/time/clock.ts';
import { createKeyEditor } from '../../src/features/keys/access/edit-keys.ts';
import { createSharedKeyHome } from '../../src/features/keys/access/key-home.ts';
import { KeyStore } from '../../src/features/keys/access/key-store.ts';
import { SharedQuotas } from '../../src/features/keys/access/shared-quotas.ts';
import { postgresFolder, startPostgres, type TestPostgres } from '../support/postgres.ts';
import { pause } from '../support/processes.ts';
import { createTestState, openTestState } from '../support/shared-state.ts';

describe.skipIf(postgresFolder === undefined)('shared state', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  }, 120_000);
  afterAll(async () => postgres?.remove());

  /** A server's keys; `seen` counts notifications. */
  const openKeys = async (address: string) => {
    const state = createTestState(address);
    const seen = { changes: 0 };
    const home = createSharedKeyHome(state, () => {
      seen.changes++;
      keys.refresh();
    });
    const keys = new KeyStore({ home, alwaysRequired: false, clock: systemClock, logger: silentLogger });
    await state.open();
    keys.refresh();
    return { state, keys, seen, editor: createKeyEditor(home, systemClock) };
  };
  const grant = { scope: 'infer', models: [], weight: 1 } as const;
  const until = async (isTrue: () => boolean): Promise<void> => {
    while (!isTrue()) await pause(5);
  };

  test('two servers that start at once create the tables once', async () => {
    const address = postgres.createDatabase();
    const states = await Promise.all(Array.from({ length: 6 }, () => openTestState(address)));
    const versions = postgres.ask(address, 'SELECT count(*) = max(version) FROM hearth.version');
    await Promise.all(states.map((state) => state.close()));
    expect(versions).toBe('t');
  });

  test('the tables of a newer Hearth are refused', async () => {
    const address = postgres.createDatabase();
    await (await openTestState(address)).close();
    postgres.ask(address, 'INSERT INTO hearth.version VALUES (1000, now())');
    await expect(openTestState(address)).rejects.toMatchObject({ code: 'bad_configuration' });
  });

  test('a key that one server creates, rotates and revokes is known to the other', async () => {
    const address = postgres.createDatabase();
    const [first, second] = [await openKeys(address), await openKeys(address)];
    const { record } = await first.editor.create({ name: 'anna', ...grant });
    await until(() => second.keys.find(record.id) !== undefined);
    await second.editor.rotate('anna');
    await until(() => first.keys.find(record.id)?.hash !== record.hash);
    await first.editor.revoke('anna');
    await until(() => second.keys.find(record.id) === undefined);
    await Promise.all([first.state.close(), second.state.close()]);
  });

  test('a hundred changes of two servers at once are all stored', async () => {
    const address = postgres.createDatabase();
    const servers = [await openKeys(address), await openKeys(address)];
    await Promise.all(
      Array.from({ length: 100 }, (_, index) => servers[index % 2]?.editor.create({ name: `key-${index}`, ...grant })),
    );
    await until(() => servers.every(({ keys }) => keys.list().length === 100));
    await Promise.all(servers.map(({ state }) => state.close()));
  });

  test('hostile names and texts are values, not a part of a query', async () => {
    const address = postgres.createDatabase();
    const [first, second] = [await openTestState(address), createTestState(address)];
    const name = `'; DROP TABLE hearth.documents; --`;
    await first.declareDocument(name, () => {}).change(() => ({ text: `$1 \\ '"\u2028 ${name}`, result: 0 }));
    const other = second.declareDocument(name, () => {});
    await second.open();
    expect(other.text()).toBe(`$1 \\ '"\u2028 ${name}`);
    await Promise.all([first.close(), second.close()]);
  });

  describe('quotas', () => {
    const expected = { promptBytes: 0, answerTokens: 68 };
    const openQuotas = async (address: string) => {
      const state = await openTestState(address);
      return { state, quotas: new SharedQuotas({ state, clock: systemClock, logger: silentLogger }) };
    };
    type Server = Awaited<ReturnType<typeof openQuotas>>;
    const openServers = async (): Promise<readonly [Server, Server]> => {
      const address = postgres.createDatabase();
      return [await openQuotas(address), await openQuotas(address)];
    };
    const close = async (servers: readonly Server[]): Promise<void> => {
      for (const { quotas, state } of servers) {
        await quotas.close();
        await state.close();
      }
    };
    const countGranted = async (attempts: readonly Promise<unknown>[]): Promise<number> => {
      const results = await Promise.allSettled(attempts);
      const refused = results.filter((result) => result.status === 'rejected');
      for (const { reason } of refused) expect(reason).toMatchObject({ code: 'rate_limited' });
      return results.length - refused.length;
    };

    test('of 1,000 requests at once on two servers, exactly 100 get tokens', async () => {
      const servers = await openServers();
      const key = { id: 'a', name: 'anna', tokensPerDay: 100 * 100 };
      const granted = await countGranted(
        Array.from({ length: 1000 }, async (_, index) => servers[index % 2]?.quotas.openMeter(key, expected)),
      );
      await close(servers);
      expect(granted).toBe(100);
    });

    test('of 1,000 requests at once on two servers, as many pass as the minute allows', async () => {
      const servers = await openServers();
      const record = { id: 'a', name: 'anna', hash: '', createdAt: 0, requestsPerMinute: 100, ...grant };
      const started = systemClock.monotonic();
      const passed = await countGranted(
        Array.from({ length: 1000 }, async (_, index) => servers[index % 2]?.quotas.countRequest(record)),
      );
      // One more for each part of a minute that has gone by.
      const most = 100 + Math.ceil(((systemClock.monotonic() - started) / 60e9) * 100);
      await close(servers);
      expect(passed).toBeGreaterThanOrEqual(100);
      expect(passed).toBeLessThanOrEqual(most);
    });

    test('what a request has not used is given back, and the rest is used up', async () => {
      const servers = await openServers();
      const [first, second] = servers;
      const key = { id: 'a', name: 'anna', tokensPerDay: 150 };
      const meter = await first.quotas.openMeter(key, expected);
      await expect(second.quotas.openMeter(key, expected)).rejects.toMatchObject({ code: 'rate_limited' });
      meter.count(30);
      meter.close();
      await first.quotas.settle();
      const next = await second.quotas.openMeter(key, expected);
      expect([next.count(50), next.count(99)]).toEqual([true, true]);
      next.count(120);
      await until(() => !next.count(120));
      next.close();
      await second.quotas.settle();
      expect(await first.quotas.tokensToday('a')).toBe(150);
      await expect(first.quotas.openMeter(key, expected)).rejects.toThrow('has used its 150 tokens');
      await close(servers);
    });

    test('a settlement that is repeated counts once', async () => {
      const servers = await openServers();
      const settlement = [{ id: 'r', key: 'a', used: 7, isOver: true }];
      for (let attempt = 0; attempt < 3; attempt++) await servers[0].state.quotas.settle(settlement, 1);
      await servers[1].state.quotas.settle(settlement, 1);
      await servers[0].state.quotas.settle(settlement, 2);
      expect(await servers[0].state.quotas.tokensToday('a')).toBe(21);
      await close(servers);
    });

    test('tokens that a killed server had reserved are free after their lease', async () => {
      const address = postgres.createDatabase();
      const server = await openQuotas(address);
      const key = { id: 'a', name: 'anna', tokensPerDay: 100 };
      await server.quotas.openMeter(key, expected);
      await expect(server.quotas.openMeter(key, expected)).rejects.toMatchObject({ code: 'rate_limited' });
      postgres.ask(address, "UPDATE hearth.reservations SET expires_at = now() - interval '1 second'");
      await server.quotas.openMeter(key, expected);
      await close([server]);
    });
  });

  test('while the database is away, an answer goes on, and new ones wait for it or run without quotas', async () => {
    const address = postgres.createDatabase();
    const [strict, lenient] = await Promise.all(
      [false, true].map(async (isOptional) => {
        const state = await openTestState(address, { isOptional });
        return { state, quotas: new SharedQuotas({ state, clock: systemClock, logger: silentLogger }) };
      }),
    );
    if (strict === undefined || lenient === undefined) throw new Error('no servers');
    const key = { id: 'a', name: 'anna', tokensPerDay: 200 };
    const expected = { promptBytes: 0, answerTokens: 68 };
    const meter = await strict.quotas.openMeter(key, expected);
    await postgres.stop();
    try {
      await until(() => !strict.state.isReachable());
      for (const tokens of [10, 90, 99, 110, 130]) {
        expect(meter.count(tokens)).toBe(true);
        await pause(5);
      }
      meter.close();
      await expect(strict.quotas.openMeter(key, expected)).rejects.toMatchObject({
        code: 'state_unreachable',
        retryAfterSeconds: 5,
      });
      const free = await lenient.quotas.openMeter(key, expected);
      expect(free.count(1000)).toBe(true);
      free.close();
    } finally {
      await postgres.start();
    }
    await until(() => strict.state.isReachable() && lenient.state.isReachable());
    await Promise.all([strict.quotas.settle(), lenient.quotas.settle()]);
    expect(await strict.quotas.tokensToday('a')).toBe(1130);
    for (const { quotas, state } of [strict, lenient]) {
      await quotas.close();
      await state.close();
    }
  });
});
