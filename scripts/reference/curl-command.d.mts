import type { ApiExample } from './api-examples.mjs';

export interface CurlRoute {
  readonly method: string;
  readonly path: string;
}

export function toCurl(route: CurlRoute, example: ApiExample, address: string): string;
