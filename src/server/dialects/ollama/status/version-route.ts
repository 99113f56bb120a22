// GET /api/version

import type { Route } from '../../../http/route.ts';
import { VersionBody } from '../responses-schema.ts';
import { apiVersion, type VersionResponse } from './version-schema.ts';

export function versionRoute(packageVersion: string): Route {
  const body: VersionResponse = { version: apiVersion, hearth: packageVersion };
  return {
    method: 'GET',
    path: '/api/version',
    summary: 'Which API this is',
    response: VersionBody,
    handle: () => body,
  };
}
