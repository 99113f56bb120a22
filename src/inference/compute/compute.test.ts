import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { createDeferred } from '../../base/deferred.ts';
import { HearthError } from '../../base/errors.ts';
import type { JobHost } from '../../base/jobs/job-pool.ts';
import { runInRequest } from '../../base/request/request-scope.ts';
import { createComputer } from './compute.ts';
import { createTasks, type TaskName } from './tasks.ts';
import type { ThreadJob, ThreadOutcome } from './thread.ts';

const largeSchema = { enum: Array.from({ length: 5000 }, (_, index) => `value ${index}`) };
const conversation = (messages: number) => ({
  source: '{{ range .Messages }}{{ .Content }}{{ end }}',
  tools: [],
  messages: Array.from({ length: messages }, () => ({ role: 'tool', content: 'x' })),
});

/** A host that runs tasks in this thread, and lists their names. `hang`: it never answers. */
function createFakeThreads({ hang = false } = {}) {
  const names: TaskName[] = [];
  const kills: string[] = [];
  const startHost = (): JobHost<ThreadJob, ThreadOutcome> => {
    const tasks: Readonly<Record<TaskName, (input: never) => unknown>> = createTasks();
    const killed = createDeferred<ThreadOutcome>();
    let alive = true;
    return {
      get alive() {
        return alive;
      },
      async run({ name, input }, onStart) {
        names.push(name);
        onStart();
        if (hang) return killed.promise;
        try {
          return { result: await tasks[name](structuredClone(input) as never) };
        } catch (error) {
          if (!(error instanceof HearthError)) return { fault: String(error) };
          return { refusal: { code: error.code, message: error.message } };
        }
      },
      kill(reason) {
        alive = false;
        kills.push(reason);
        killed.resolve({ fault: `it ${reason}` });
      },
    };
  };
  return { names, kills, startHost };
}

describe('a short task runs in the server', () => {
  test.each<[string, () => Promise<unknown>]>([
    ['a schema', () => run('schemaToGrammar', { type: 'object', properties: { a: { type: 'string' } } })],
    ['a grammar', () => run('rawToGrammar', 'root ::= "a"')],
    ['a template', () => run('readTemplate', '{{ .Prompt }}')],
    ['a conversation', () => run('renderConversation', conversation(10))],
    ['an insertion', () => run('renderInsertion', { source: '{{ .Suffix }}', prompt: '', suffix: 'x' })],
  ])('%s', async (_, start) => {
    await start();
    expect(threads.names).toEqual([]);
  });
  const threads = createFakeThreads();
  const { compute: run } = createComputer({ clock: createFakeClock(), script: '', startHost: threads.startHost });
});

describe('a long task runs in another thread', () => {
  const setUp = () => {
    const threads = createFakeThreads();
    return { ...createComputer({ clock: createFakeClock(), script: '', startHost: threads.startHost }), threads };
  };

  test('a schema, with the same result', async () => {
    const { compute, threads } = setUp();
    expect(await compute('schemaToGrammar', largeSchema)).toEqual(createTasks().schemaToGrammar(largeSchema));
    expect(threads.names).toEqual(['schemaToGrammar']);
  });

  test('every check of an answer', async () => {
    const { compute, threads } = setUp();
    const check = { schema: { type: 'array', uniqueItems: true }, answer: '[1, 1]', unenforced: ['uniqueItems'] };
    expect(await compute('checkAnswer', check)).toEqual(['uniqueItems']);
    expect(threads.names).toEqual(['checkAnswer']);
  });

  test('a conversation', async () => {
    const { compute, threads } = setUp();
    expect(await compute('renderConversation', conversation(5000))).toBe('x'.repeat(5000));
    expect(threads.names).toEqual(['renderConversation']);
  });

  test.each([
    [
      'a template that loops',
      '{{ range $a := .Messages }}{{ range $.Messages }}{{ range $.Messages }}{{ end }}{{ end }}{{ end }}',
    ],
    ['a long template', `${'{{ .A }}'.repeat(3000)}{{ range .Messages }}{{ end }}`],
  ])('%s', async (_, source) => {
    const { compute, threads } = setUp();
    await compute('renderConversation', { ...conversation(60), source }).catch(() => {});
    expect(threads.names).toEqual(['renderConversation']);
  });

  test('a template that loops over the call that shows its syntax', async () => {
    const { compute, threads } = setUp();
    const loops = '{{ range $.ToolCalls }}{{ range 1000 }}{{ range 1000 }}x{{ end }}{{ end }}{{ end }}';
    await compute('readTemplate', `{{ range .ToolCalls }}${loops}{{ end }}`);
    expect(threads.names).toEqual(['readTemplate']);
  });

  test('its error keeps the code and the message', async () => {
    const { compute } = setUp();
    const schema = { enum: largeSchema.enum, pattern: '(' };
    await expect(compute('schemaToGrammar', schema)).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('format: pattern'),
    });
  });
});

describe('a task that does not end', () => {
  const setUp = () => {
    const clock = createFakeClock();
    const threads = createFakeThreads({ hang: true });
    return { ...createComputer({ clock, script: '', startHost: threads.startHost }), clock, threads };
  };

  test('is killed after ten seconds', async () => {
    const { compute, clock, threads } = setUp();
    const result = compute('schemaToGrammar', largeSchema);
    clock.advance(10_000);
    await expect(result).rejects.toThrow('format: converting the schema failed: it took too long');
    expect(threads.kills).toEqual(['took too long']);
  });

  test('ends with its request, and is killed once it is slow', async () => {
    const { compute, clock, threads } = setUp();
    const controller = new AbortController();
    const scope = { id: 'r', client: 'c', signal: controller.signal };
    const result = runInRequest(scope, () => compute('schemaToGrammar', largeSchema));
    controller.abort();
    await expect(result).rejects.toMatchObject({ code: 'cancelled' });
    clock.advance(1000);
    expect(threads.kills).toEqual(['took too long']);
  });

  test('does not block another client', async () => {
    const { compute, threads } = setUp();
    const results = ['a', 'a', 'a', 'b'].map((client) =>
      runInRequest({ id: 'r', client, signal: new AbortController().signal }, () =>
        compute('schemaToGrammar', largeSchema),
      ),
    );
    for (const result of results) result.catch(() => {});
    // One attempt in each turn of the event loop.
    for (let turn = 0; turn < 2 * results.length; turn++) await setImmediate();
    // One thread for each client; the others of the first client wait.
    expect(threads.names).toHaveLength(2);
  });

  test('ends when the server stops', async () => {
    const { compute, stop } = setUp();
    const result = compute('schemaToGrammar', largeSchema);
    stop();
    await expect(result).rejects.toThrow('it was stopped');
  });
});
