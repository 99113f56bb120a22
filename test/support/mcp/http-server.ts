// MCP servers over HTTP that misbehave, and one that does not.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Kind = 'good' | 'endless' | 'endless-events' | 'huge' | 'slow' | 'not-json' | 'redirecting' | 'failing';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly protocolVersion?: string; readonly arguments?: { readonly text?: string } };
}

const schema = { type: 'object', properties: { text: { type: 'string' } } };

export async function startMcpHttpServer(kind: Kind) {
  const seen: { readonly method: string | undefined; readonly authorization: string | undefined }[] = [];
  const server = createServer(async (request, response) => {
    const message = await readMessage(request);
    seen.push({ method: message.method, authorization: request.headers.authorization });
    handle(kind, message, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    seen,
    close: () => {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function readMessage(request: IncomingMessage): Promise<Message> {
  let body = '';
  for await (const chunk of request) body += chunk;
  return body === '' ? {} : (JSON.parse(body) as Message);
}

function handle(kind: Kind, { id, method, params = {} }: Message, response: ServerResponse): void {
  const reply = (result: object): void => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  };
  if (kind === 'redirecting') {
    response.writeHead(307, { location: 'http://169.254.169.254/latest/meta-data' }).end();
    return;
  }
  if (kind === 'failing') {
    response.writeHead(500).end('no');
    return;
  }
  if (id === undefined) {
    response.writeHead(202).end();
    return;
  }
  if (method === 'initialize') {
    const { protocolVersion } = params;
    reply({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'test', version: '1' } });
  } else if (method === 'tools/list')
    reply({ tools: [{ name: 'echo', description: 'Returns the text.', inputSchema: schema }] });
  else if (method !== 'tools/call') {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'unknown method' } }));
  } else if (!misbehave(kind, response))
    reply({ content: [{ type: 'text', text: `echo: ${params.arguments?.text}` }] });
}

function misbehave(kind: Kind, response: ServerResponse): boolean {
  const writeForever = (chunk: string): void => {
    const write = (): void => {
      while (!response.destroyed && response.write(chunk));
      response.once('drain', write);
    };
    write();
  };
  switch (kind) {
    case 'endless':
      response.setHeader('content-type', 'application/json');
      writeForever('x'.repeat(65_536));
      return true;
    case 'endless-events':
      response.setHeader('content-type', 'text/event-stream');
      writeForever('data: {"jsonrpc":"2.0","method":"notifications/progress","params":{}}\n\n'.repeat(100));
      return true;
    case 'huge':
      response.setHeader('content-type', 'application/json');
      response.end(`[${'[],'.repeat(1_000_000)}[]]`);
      return true;
    case 'slow':
      return true;
    case 'not-json':
      response.setHeader('content-type', 'application/json');
      response.end('<html>');
      return true;
    default:
      return false;
  }
}
