// The transport of /mcp with the tools that the conformance suite of the Model Context Protocol expects. They use what
// Hearth's own tools do not need: other contents, log messages, questions to the client and its user.

import {
  type CallToolResult,
  type ElicitRequestFormParams,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { silentLogger } from '../../../src/base/logger.ts';
import { systemClock } from '../../../src/base/time/clock.ts';
import { mcpRoutes } from '../../../src/features/mcp-server/mcp-routes.ts';
import { McpSessions } from '../../../src/features/mcp-server/mcp-sessions.ts';
import { dialectTable } from '../../../src/server/compose/dialect-table.ts';
import { createHostCheck } from '../../../src/server/http/access/host-header.ts';
import { createOriginCheck } from '../../../src/server/http/access/origin.ts';
import { RequestTable } from '../../../src/server/http/requests.ts';
import { createHttpServer } from '../../../src/server/http/server.ts';
import { pause } from '../processes.ts';

type Call = (given: Readonly<Record<string, unknown>>, context: ServerContext) => Promise<CallToolResult>;
type Content = CallToolResult['content'][number];
type Schema = ElicitRequestFormParams['requestedSchema'];

// One red pixel, and a sound without samples.
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

const text = (value: string): Content => ({ type: 'text', text: value });
const image: Content = { type: 'image', data: png, mimeType: 'image/png' };
const resource = (uri: string, mimeType: string, value: string): Content => ({
  type: 'resource',
  resource: { uri, mimeType, text: value },
});

const returns =
  (...content: readonly Content[]): Call =>
  async () => ({ content: [...content] });

const asks =
  (answer: string, message: (given: Readonly<Record<string, unknown>>) => string, requestedSchema: Schema): Call =>
  async (given, { mcpReq }) => {
    // `elicitInput` would use the stream of GET, which this server does not offer.
    const params = { message: message(given), requestedSchema };
    const { action, content } = await mcpReq.send({ method: 'elicitation/create', params });
    return { content: [text(`${answer}: action=${action}, content=${JSON.stringify(content)}`)] };
  };

const stepMs = 50;

async function sendLog(_given: object, { mcpReq }: ServerContext): Promise<CallToolResult> {
  for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
    await mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data } });
    await pause(stepMs);
  }
  return { content: [text('logged')] };
}

async function sendProgress(_given: object, { mcpReq }: ServerContext): Promise<CallToolResult> {
  const progressToken = mcpReq._meta?.progressToken;
  for (const progress of [0, 50, 100]) {
    if (progressToken !== undefined)
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
    await pause(stepMs);
  }
  return { content: [text('done')] };
}

async function askModel({ prompt }: Readonly<Record<string, unknown>>, { mcpReq }: ServerContext) {
  const content = { type: 'text' as const, text: String(prompt) };
  const params = { messages: [{ role: 'user', content }], maxTokens: 100 };
  const answer = await mcpReq.send({ method: 'sampling/createMessage', params });
  return { content: [text(`LLM response: ${JSON.stringify(answer.content)}`)] };
}

const options = ['option1', 'option2', 'option3'];
const titled = ['First', 'Second', 'Third'].map((title, index) => ({ const: `value${index + 1}`, title }));

const userSchema: Schema = {
  type: 'object',
  properties: {
    username: { type: 'string', description: "User's response" },
    email: { type: 'string', description: "User's email address" },
  },
  required: ['username', 'email'],
};
const defaultsSchema: Schema = {
  type: 'object',
  properties: {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  },
};
const enumsSchema: Schema = {
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', enum: options },
    titledSingle: { type: 'string', oneOf: titled },
    legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['One', 'Two', 'Three'] },
    untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
    titledMulti: { type: 'array', items: { anyOf: titled } },
  },
};

const calls: Readonly<Record<string, Call>> = {
  test_simple_text: returns(text('This is a simple text response for testing.')),
  test_image_content: returns(image),
  test_audio_content: returns({ type: 'audio', data: wav, mimeType: 'audio/wav' }),
  test_embedded_resource: returns(
    resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
  ),
  test_multiple_content_types: returns(
    text('Multiple content types test:'),
    image,
    resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ),
  test_tool_with_logging: sendLog,
  test_tool_with_progress: sendProgress,
  test_error_handling: async () => ({
    isError: true,
    content: [text('This tool intentionally returns an error for testing')],
  }),
  test_sampling: askModel,
  test_elicitation: asks('User response', ({ message }) => String(message), userSchema),
  test_elicitation_sep1034_defaults: asks('Elicitation completed', () => 'Defaults', defaultsSchema),
  test_elicitation_sep1330_enums: asks('Elicitation completed', () => 'Enums', enumsSchema),
};

const tools = Object.keys(calls).map((name) => ({
  name,
  description: `${name} of the suite`,
  inputSchema: { type: 'object' as const },
}));

function createTestServer(): Server {
  const server = new Server({ name: 'conformance', version: '1' }, { capabilities: { tools: {}, logging: {} } });
  server.setRequestHandler('tools/list', () => ({ tools }));
  server.setRequestHandler('tools/call', ({ params: { name, arguments: given = {} } }, context) => {
    const call = calls[name];
    if (call === undefined) throw new Error(`no tool ${name}`);
    return call(given, context);
  });
  return server;
}

/** Listens on a free port of this machine. */
export async function startConformanceServer(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const parts = { clock: systemClock, logger: silentLogger };
  const sessions = new McpSessions(createTestServer);
  const { isAllowed, isVerified } = createHostCheck({
    hostname: 'localhost',
    addresses: () => [],
    listensOn: '127.0.0.1',
  });
  const app = createHttpServer({
    ...parts,
    routes: mcpRoutes(async () => sessions),
    dialects: dialectTable,
    requests: new RequestTable(parts),
    maxBodyBytes: 2 ** 20,
    isAllowedHost: isAllowed,
    isAllowedOrigin: createOriginCheck({ allowed: [], isVerifiedHost: isVerified }),
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    url: `${url}/mcp`,
    async stop() {
      await sessions.close();
      await app.close();
    },
  };
}
