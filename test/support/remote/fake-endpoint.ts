// Servers with the API of OpenAI that misbehave in one way each, for tests of remotes.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net';

export interface FakeEndpoint {
  readonly url: string;
  /** Requests for an answer so far. */
  readonly asked: () => number;
  close(): Promise<void>;
}

type Answer = (response: ServerResponse, turn: number) => void;

export const fakeModel = 'fake';

/** The words of every complete answer. */
export const fakeWords = ['one', ' two', ' three'];

const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const part = (delta: object, reason: string | null = null): string =>
  event({ id: '1', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: reason }] });

function begin(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(part({ role: 'assistant', content: '' }));
  response.write(part({ content: fakeWords[0] }));
}

function answer(response: ServerResponse): void {
  begin(response);
  for (const word of fakeWords.slice(1)) response.write(part({ content: word }));
  response.write(part({}, 'stop'));
  response.write(event({ choices: [], usage: { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 } }));
  response.end('data: [DONE]\n\n');
}

function refuse(status: number, message: string): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message, type: 'error', param: null, code: status } }));
  };
}

/** What the endpoint does with a request for an answer. Its health check always succeeds. */
export const behaviors = {
  answers: (response) => answer(response),
  'is slow': (response) => void setTimeout(() => answer(response), 300),
  'never answers': () => {},
  'stops in the middle': (response) => begin(response),
  'breaks off': (response) => {
    begin(response);
    setTimeout(() => response.destroy(), 20);
  },
  'reports an error in the middle': (response) => {
    begin(response);
    response.write(event({ error: { message: 'the engine died', type: 'InternalServerError', code: 500 } }));
    response.end('data: [DONE]\n\n');
  },
  'does not accept the key': refuse(401, 'Unauthorized'),
  'does not have the model': refuse(404, 'The model `fake` does not exist.'),
  'has a full queue': refuse(503, 'queue full'),
  flaps: (response, turn) => (turn % 2 === 0 ? refuse(500, 'internal error')(response, turn) : answer(response)),
} satisfies Readonly<Record<string, Answer>>;

export type Behavior = keyof typeof behaviors;

export async function startFakeEndpoint(behavior: Behavior): Promise<FakeEndpoint> {
  let asked = 0;
  const handle: Answer = behaviors[behavior];
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    request.resume();
    if (request.method === 'POST') handle(response, asked++);
    else if (request.url === '/v1/models')
      response.end(JSON.stringify({ data: [{ id: fakeModel, max_model_len: 4096 }] }));
    else response.writeHead(404).end();
  });
  return { url: await listen(server), asked: () => asked, close: () => close(server) };
}

/** Accepts connections and never sends anything, like a machine that hangs. */
export async function startSilentServer(): Promise<FakeEndpoint> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.resume();
  });
  const url = await listen(server);
  const end = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  };
  return { url, asked: () => sockets.size, close: end };
}

async function listen(server: Server | TcpServer): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function close(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}
