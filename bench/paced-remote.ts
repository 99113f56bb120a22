// A server with the API of OpenAI that sends the tokens of every answer at a fixed pace, as a cluster with free capacity
// does. It runs in a process of its own and prints its address.

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

// Milliseconds between two tokens of an answer.
const pace = 10;

const chunkOf = (content: string, finish: string | null): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`;

function answer(response: ServerResponse, tokens: number): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  let sent = 0;
  const send = (): void => {
    response.write(chunkOf(' word', null));
    if (++sent < tokens) return;
    clearInterval(timer);
    const usage = { prompt_tokens: 8, completion_tokens: tokens };
    response.end(`${chunkOf('', 'stop')}data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`);
  };
  const timer = setInterval(send, pace);
  response.on('close', () => clearInterval(timer));
  send();
}

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    const isList = request.url === '/v1/models';
    response.writeHead(isList ? 200 : 404).end(isList ? JSON.stringify({ data: [{ id: 'paced' }] }) : '{}');
    return;
  }
  let body = '';
  request.on('data', (chunk: Buffer) => {
    body += chunk.toString();
  });
  request.on('end', () => answer(response, (JSON.parse(body) as { max_tokens: number }).max_tokens));
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
