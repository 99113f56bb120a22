// GET /api/version

import { VersionBody } from '../../api/responses.ts';
import { apiVersion, type VersionResponse } from '../../api/version.ts';
import type { Route } from '../route.ts';

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
