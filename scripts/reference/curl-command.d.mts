import type { ApiExample } from './api-examples.mjs';

export interface CurlRoute {
  readonly method: string;
  readonly path: string;
  readonly file?: string;
}

export function toCurl(route: CurlRoute, example: ApiExample, address: string): string;
