// The routes that manage the server, and what the audit log calls them. Features add their own rows.

import { serverFeatures } from '../../features/server-features.ts';
import type { AuditRow, AuditTable } from '../http/audit.ts';

const model: AuditRow['subject'] = ({ body }) => [body['model'] ?? body['name']];

export const auditTable: AuditTable = {
  'POST /api/create': { action: 'create', subject: model },
  'POST /api/copy': { action: 'copy', subject: ({ body }) => [body['source'], body['destination']] },
  'DELETE /api/delete': { action: 'delete', subject: model },
  'DELETE /v1/models/*': { action: 'delete', subject: ({ params }) => [params['*']] },
  'POST /api/pull': { action: 'pull', subject: model },
  'POST /api/pulls': { action: 'pull', subject: model },
  'POST /api/pulls/:id/pause': { action: 'pause pull', subject: ({ params }) => [params['id']] },
  'DELETE /api/pulls/:id': { action: 'cancel pull', subject: ({ params }) => [params['id']] },
  'POST /api/push': { action: 'push', subject: model },
  'POST /api/blobs/:digest': { action: 'upload', subject: ({ params }) => [params['digest']] },
  'POST /api/verify': { action: 'verify', subject: ({ body }) => [body['repair'] === true ? 'repair' : ''] },
  ...Object.assign({}, ...serverFeatures.map(({ audit }) => audit)),
};
