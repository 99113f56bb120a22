// What is asked of clients, against the real server. What came of it is printed as a table.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addEndlessModel } from '../support/models/endless-ember.ts';
import { type DockerRegistry, hasDockerRegistry, startDockerRegistry } from '../support/registry/docker-registry.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { type Capability, type ClientUnderTest, capabilities, endless, type LongAnswer } from './client-under-test.ts';
import { type Outcome, renderTable } from './table.ts';

const needsRegistry: readonly Capability[] = ['push', 'pull'];

interface ClientResults {
  readonly name: string;
  readonly outcomes: Map<Capability, Outcome>;
}

export function testClients(clients: readonly ClientUnderTest[]): void {
  const results: readonly ClientResults[] = clients.map(({ name }) => ({
    name,
    outcomes: new Map<Capability, Outcome>(),
  }));

  let server: TestServer;
  let registry: DockerRegistry | undefined;
  beforeAll(async () => {
    if (hasDockerRegistry) registry = await startDockerRegistry();
    server = await startServer();
    await addEndlessModel(server.store, endless);
  });
  afterAll(async () => {
    console.info(`\n${renderTable(results)}\n`);
    await server.stop();
    await registry?.stop();
  });

  const services = () => ({ url: server.url, registry: registry?.host ?? '' });
  for (const [index, client] of clients.entries())
    describe(client.name, () => testClient(client, (results[index] as ClientResults).outcomes, services));

  testEnd(clients, results);

  test('no cell failed, and every cell has an outcome', () => {
    const fine: readonly unknown[] = ['passed', 'not offered', ...(hasDockerRegistry ? [] : ['not run'])];
    for (const { name, outcomes } of results)
      expect([name, capabilities.filter((one) => !fine.includes(outcomes.get(one)))]).toEqual([name, []]);
  });
}

/** `services` are known when a test runs. */
function testClient(
  client: ClientUnderTest,
  outcomes: Map<Capability, Outcome>,
  services: () => { readonly url: string; readonly registry: string },
): void {
  // What a client offers does not depend on where the server is.
  const offered = new Set(Object.keys(client.cells('http://127.0.0.1:1', '')));

  /** A cell is what came of its test, and nothing else. */
  const cell = (capability: Capability, work: () => Promise<void>): void => {
    test(capability, async () => {
      outcomes.set(capability, 'failed');
      await work();
      outcomes.set(capability, 'passed');
    });
  };

  for (const capability of capabilities) {
    if (capability === 'abort' || capability === 'server goes away') continue;
    if (!offered.has(capability)) outcomes.set(capability, 'not offered');
    else if (needsRegistry.includes(capability) && !hasDockerRegistry) {
      outcomes.set(capability, 'not run');
      test.skip(capability);
    } else cell(capability, async () => client.cells(services().url, services().registry)[capability]?.());
  }

  if (!client.aborts) outcomes.set('abort', 'not offered');
  else
    cell('abort', async () => {
      const { url } = services();
      const { abort, end } = await client.begin(url);
      abort?.();
      await expect(end).rejects.toThrow();
      await expect.poll(() => isBusy(url)).toBe(false);
    });
}

async function isBusy(url: string): Promise<boolean> {
  const { models } = (await (await fetch(`${url}/api/ps`)).json()) as { models: { state: string }[] };
  return models.some(({ state }) => state === 'busy');
}

function testEnd(clients: readonly ClientUnderTest[], results: readonly ClientResults[]): void {
  describe('the server goes away in the middle of an answer', () => {
    let ends: PromiseSettledResult<unknown>[];
    beforeAll(async () => {
      // Answers without an end hold their slots, so that each client needs one.
      const victim = await startServer({ environment: { HEARTH_NUM_PARALLEL: String(clients.length) } });
      await addEndlessModel(victim.store, endless);
      const answers: LongAnswer[] = await Promise.all(clients.map((client) => client.begin(victim.url)));
      const settled = Promise.allSettled(answers.map(({ end }) => end));
      victim.signal('SIGKILL');
      ends = await settled;
      await victim.stop();
    });

    test.each(clients.map(({ name }, index) => ({ name, index })))('$name says so', ({ index }) => {
      const { outcomes } = results[index] as ClientResults;
      outcomes.set('server goes away', 'failed');
      expect(ends[index]?.status).toBe('rejected');
      outcomes.set('server goes away', 'passed');
    });
  });
}
