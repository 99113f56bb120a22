// A runner that does not respond, and renders that nobody waits for.

import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { generate, post } from '../../support/client.ts';
import { addModel } from '../../support/models/endless-ember.ts';
import { repository } from '../../support/repository.ts';
import type { TestServer } from '../../support/server.ts';
import type { Attack } from '../harness.ts';

/** Clients of a stopped runner can leave, and the model works again afterwards. */
async function stopRunner(server: TestServer): Promise<void> {
  await generate(server.url, { prompt: 'Hi', options: { num_predict: 1 } });
  // Another one of the attack before may still be there.
  const runners = server.runners();
  if (runners.length === 0) throw new Error('there is no runner');
  for (const runner of runners) process.kill(runner, 'SIGSTOP');
  const waiting = Array.from({ length: 20 }, () =>
    post(
      server.url,
      '/api/chat',
      { model: 'ember', messages: [{ role: 'user', content: 'Hi' }] },
      {
        signal: AbortSignal.timeout(500),
      },
    ),
  );
  for (const result of await Promise.allSettled(waiting)) expect(result.status).toBe('rejected');
  for (const runner of server.runners()) process.kill(runner, 'SIGCONT');
  await generate(server.url, { prompt: 'Hi', options: { num_predict: 1 } });
}

const endlessLoop = '{% for a in range(1000) %}'.repeat(9) + '{% endfor %}'.repeat(9);
const templateKey = 'tokenizer.chat_template';

/** Ember with another chat template, which must not be longer than its own. */
function emberWithTemplate(template: string): Buffer {
  const weights = Buffer.from(readFileSync(repository('models/ember-q4_k_m.gguf')));
  // The key is followed by its type, the length of the text in eight bytes, and the text.
  const lengthAt = weights.indexOf(templateKey) + templateKey.length + 4;
  const length = Number(weights.readBigUInt64LE(lengthAt));
  weights.write(template.padEnd(length), lengthAt + 8, length, 'latin1');
  return weights;
}

/** Another template must not wait for those that were abandoned. */
async function abandonRenders({ url, store }: TestServer): Promise<void> {
  await addModel(store, 'looping', emberWithTemplate(endlessLoop));
  await addModel(store, 'other', emberWithTemplate('{{ messages[0].content }}!'));
  const chat = (model: string, signal = AbortSignal.timeout(60_000)) =>
    post(
      url,
      '/api/chat',
      { model, messages: [{ role: 'user', content: 'Hi' }], stream: false, options: { num_predict: 1 } },
      { signal },
    );
  const abandoned = await Promise.allSettled(
    Array.from({ length: 5 }, () => chat('looping', AbortSignal.timeout(1500))),
  );
  for (const result of abandoned) expect(result.status).toBe('rejected');
  expect((await chat('other')).status).toBe(200);
}

export const processAttacks: readonly Attack[] = [
  { name: 'a stopped runner', run: stopRunner },
  { name: 'abandoned renders of an endless template', run: abandonRenders },
];
