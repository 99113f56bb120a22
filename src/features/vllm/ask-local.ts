// Asks a program of this machine whether it works. Answers of its model come through inference/remote.

import { request } from 'node:http';

interface LocalAnswer {
  readonly status: number;
  readonly body: string;
}

interface LocalRequest {
  readonly method?: 'GET' | 'POST';
  readonly timeoutMs?: number;
}

const usualTimeoutMs = 20_000;
const maxBytes = 2 ** 20;

export function askLocal(
  url: string,
  key: string,
  { method = 'GET', timeoutMs = usualTimeoutMs }: LocalRequest = {},
): Promise<LocalAnswer> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` };
    const asked = request(url, { method, headers, timeout: timeoutMs, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        body += chunk;
        if (body.length > maxBytes) asked.destroy(new Error('the answer is too long'));
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      response.on('error', reject);
    });
    asked.on('timeout', () => asked.destroy(new Error('it does not answer')));
    asked.on('error', reject);
    asked.end();
  });
}
