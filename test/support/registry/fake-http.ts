// An HTTP client that answers from a function, for tests without a network.

import type {
  HttpClient,
  RegistryRequest,
  RegistryResponse,
} from '../../../src/models/registry-client/http/http-client.ts';

export interface FakeResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface FakeHttp extends HttpClient {
  readonly requests: readonly RegistryRequest[];
}

export function createFakeHttp(respond: (request: RegistryRequest) => FakeResponse): FakeHttp {
  const requests: RegistryRequest[] = [];
  return {
    requests,
    async send(request) {
      requests.push(request);
      return toResponse(request.url, respond(request));
    },
    isProxied: () => false,
    recycle: () => {},
    close: async () => {},
  };
}

function toResponse(url: URL, { status, headers = {}, body = '' }: FakeResponse): RegistryResponse {
  async function* chunks(): AsyncGenerator<Buffer> {
    if (body.length > 0) yield Buffer.from(body as string);
  }
  return { url, status, header: (name) => headers[name], body: chunks(), drop: () => {} };
}
