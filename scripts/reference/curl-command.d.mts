import type { OperationExample } from '../../src/server/http/openapi/operation.ts';

export interface CurlRoute {
  readonly method: string;
  readonly path: string;
}

export function toCurl(route: CurlRoute, example: OperationExample, address: string): string;
