// No caller stops the server for others. Each attack is a row of the table that this test prints.

import { getPriority } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { prioritySteps } from '../../src/base/process/lower-priority.ts';
import { post } from '../support/client.ts';
import { addEndlessModel } from '../support/models/endless-ember.ts';
import { isAlive } from '../support/processes.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { bodyAttacks } from './attacks/bodies.ts';
import { connectionAttacks } from './attacks/connections.ts';
import { conversionAttacks } from './attacks/conversions.ts';
import { fairnessAttacks } from './attacks/fairness.ts';
import { fileAttacks } from './attacks/files.ts';
import { originAttacks } from './attacks/origins.ts';
import { processAttacks } from './attacks/processes.ts';
import { webSocketAttacks } from './attacks/web-sockets.ts';
import { formatTable, measure, type OrdinaryClient, type Row, startClient } from './harness.ts';

// Far above the goal, because test machines are busy. A server that blocks its callers does so every time, so the best
// of a few attempts counts.
const limitMs = 2000;
const attempts = 3;

let server: TestServer;
let client: OrdinaryClient;
const rows: Row[] = [];
beforeAll(async () => {
  server = await startServer({
    environment: {
      // A wildcard address must not weaken the checks of Host and Origin.
      HEARTH_HOST: '0.0.0.0:0',
      HEARTH_ALLOW_OPEN: '1',
      HEARTH_MAX_BUFFERED_BODIES: '64MiB',
      HEARTH_MAX_BODY: '64MiB',
      HEARTH_RECEIVE_TIMEOUT: '1s',
      HEARTH_STALL_TIMEOUT: '1s',
      HEARTH_NUM_PARALLEL: '8',
      HEARTH_SLOT_TIME: '200ms',
      HEARTH_MAX_QUEUE: '16',
    },
  });
  await addEndlessModel(server.store, 'endless');
  client = startClient(server.url);
});
afterAll(async () => {
  await client.stop();
  await server.stop();
  process.stdout.write(`\n${formatTable(rows)}\n`);
});

const attacks = [
  ...bodyAttacks,
  ...connectionAttacks,
  ...webSocketAttacks,
  ...originAttacks,
  ...fairnessAttacks,
  ...conversionAttacks,
  ...fileAttacks,
  ...processAttacks,
];

test.each(attacks)('$name', async (attack) => {
  let worst = Number.POSITIVE_INFINITY;
  // Every attempt is a row, so that the table shows a server that blocks now and then.
  for (let attempt = 0; attempt < attempts && worst >= limitMs; attempt++) {
    const row = await measure(server, client, attack);
    rows.push(row);
    worst = worstOf(row);
  }
  expect(isAlive(server.pid)).toBe(true);
  expect(worst).toBeLessThan(limitMs);
});

// Windows has few priorities.
test.skipIf(process.platform === 'win32')('a runner has a lower priority than the server', async () => {
  const request = { model: 'endless', prompt: 'Hi', stream: false, options: { num_predict: 1 } };
  // Connections that are slow for a second, as after an attack, are closed with 408.
  await expect.poll(async () => (await post(server.url, '/api/generate', request)).status).toBe(200);
  const [runner] = server.runners();
  expect(getPriority(runner)).toBe(Math.min(19, getPriority(server.pid) + prioritySteps.model));
});

function worstOf({ during, after }: Row): number {
  return Math.max(during, after);
}
