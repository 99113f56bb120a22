import { expect, test } from 'vitest';
import { judgePort, type PortUser } from './port.ts';

const url = 'http://127.0.0.1:11434';

test.each<[PortUser, string, string]>([
  [{ kind: 'hearth', version: '1.0.0' }, 'ok', `Hearth 1.0.0 answers at ${url}`],
  [{ kind: 'hearth', version: '0.9.0' }, 'warning', `Hearth 0.9.0 answers at ${url}, but this command is 1.0.0`],
  [{ kind: 'free' }, 'ok', `${url} is free; no server is running`],
  [{ kind: 'ollama', version: '0.14.0' }, 'warning', `Ollama 0.14.0 answers at ${url}, or a program like it`],
  [{ kind: 'elsewhere' }, 'warning', `no server answers at ${url}`],
  [{ kind: 'unknown', reason: 'no start line' }, 'warning', `the server at ${url} cannot be asked: no start line`],
  [{ kind: 'other', reason: 'status 404' }, 'problem', `another program answers at ${url}: status 404`],
  [{ kind: 'blocked', reason: 'no permission' }, 'problem', `no server can listen at ${url}: no permission`],
])('%o is %s', (user, status, text) => {
  expect(judgePort({ url, user, version: '1.0.0' })).toMatchObject([{ status, text: expect.stringContaining(text) }]);
});
