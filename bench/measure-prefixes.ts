// The effect of the prefix cache: for a repeated prompt, and for several requests with a common prefix.

import type { TestServer } from '../test/support/server.ts';
import { median, report, rounds, waitForIdleCores } from './report.ts';
import { freshText, timeStream } from './server-load.ts';
import type { Subject } from './subject.ts';

export async function measureRepeatedPrompt(server: TestServer, { name: model, thousand }: Subject): Promise<void> {
  const pairs: { readonly first: number; readonly second: number }[] = [];
  for (let round = 0; round < 3; round++) {
    const request = { url: server.url, model, prompt: freshText(thousand), tokens: 4, seed: 1 };
    const timeToText = async (): Promise<number> => {
      const { sent, firstText } = await timeStream(request);
      return firstText - sent;
    };
    pairs.push({ first: await timeToText(), second: await timeToText() });
  }
  const ratio = median(pairs.map(({ first, second }) => second / first));
  report({
    what: `${model}, a repeated prompt of 1,000 tokens to its first token`,
    value: `${(100 * ratio).toFixed(1)} % of the first time (ms: ${pairs.map(({ first, second }) => `${second.toFixed(0)} after ${first.toFixed(0)}`).join(', ')})`,
    goal: '≤ 10 %',
    met: ratio <= 0.1,
  });
}

export async function measureSharedPrefix(server: TestServer, { name: model, thousand }: Subject): Promise<void> {
  const prefix = freshText(thousand);
  const logged = server.log().length;
  const requests = Array.from({ length: 8 }, (_, seed) => ({
    url: server.url,
    model,
    prompt: `${prefix} ${seed}`,
    tokens: 4,
    seed,
  }));
  await Promise.all(requests.map(timeStream));
  await waitForIdleCores();
  const answers = [
    ...server
      .log()
      .slice(logged)
      .matchAll(/answered .*prompt=(\d+) reused=(\d+)/g),
  ];
  const prompts = answers.map(([, tokens]) => Number(tokens));
  const total = prompts.reduce((sum, tokens) => sum + tokens, 0);
  const evaluated = total - answers.reduce((sum, [, , reused]) => sum + Number(reused), 0);
  report({
    what: `${model}, eight requests that share a prefix of 1,000 tokens`,
    value: `${evaluated} of ${total} prompt tokens were evaluated, as counted by the runner`,
    goal: 'the prefix once',
    met: answers.length === 8 && evaluated < Math.max(...prompts) + 8 * 16,
  });
}

/** Eight chats at once with one system prompt of 1,000 tokens, compared with a server without a prefix cache. */
export async function measureSharedChats(server: TestServer, uncached: TestServer, subject: Subject): Promise<void> {
  const ratios: number[] = [];
  await chatTogether(server, subject, 'warm up');
  await chatTogether(uncached, subject, 'warm up');
  for (let round = 0; round < Math.min(rounds, 5); round++) {
    const system = freshText(subject.thousand);
    await waitForIdleCores();
    const off = await chatTogether(uncached, subject, system);
    await waitForIdleCores();
    ratios.push((await chatTogether(server, subject, system)) / off);
  }
  report({
    what: `${subject.name}, eight chats with one system prompt of 1,000 tokens`,
    value: `${(100 * median(ratios)).toFixed(1)} % of the time without the prefix cache`,
  });
}

/** Milliseconds until all eight are answered. */
async function chatTogether({ url }: TestServer, { name: model }: Subject, system: string): Promise<number> {
  const start = performance.now();
  await Promise.all(
    Array.from({ length: 8 }, async (_, index) => {
      const messages = [
        { role: 'system', content: system },
        { role: 'user', content: `Question ${index}: why?` },
      ];
      const options = { num_predict: 16, seed: index };
      const body = JSON.stringify({ model, messages, options, stream: false });
      const answer = (await (await fetch(`${url}/api/chat`, { method: 'POST', body })).json()) as { error?: string };
      if (answer.error !== undefined) throw new Error(answer.error);
    }),
  );
  return performance.now() - start;
}
