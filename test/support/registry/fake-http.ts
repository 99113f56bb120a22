// Libraries for tests that need no network: a function of the request.

import type {
  HttpClient,
  RegistryRequest,
  RegistryResponse,
} from '../../../src/models/registry-client/http/http-client.ts';

export interface FakeAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface FakeHttp extends HttpClient {
  readonly requests: readonly RegistryRequest[];
}

export function createFakeHttp(answer: (request: RegistryRequest) => FakeAnswer): FakeHttp {
  const requests: RegistryRequest[] = [];
  return {
    requests,
    async send(request) {
      requests.push(request);
      return toResponse(request.url, answer(request));
    },
    recycle: () => {},
    close: async () => {},
  };
}

function toResponse(url: URL, { status, headers = {}, body = '' }: FakeAnswer): RegistryResponse {
  async function* chunks(): AsyncGenerator<Buffer> {
    if (body.length > 0) yield Buffer.from(body as string);
  }
  return { url, status, header: (name) => headers[name], body: chunks(), drop: () => {} };
}
