// The routes that manage the server, and what the audit log calls them.

import type { AuditRow, AuditTable } from '../http/audit.ts';

const model: AuditRow['subject'] = ({ body }) => [body['model'] ?? body['name']];

const key: AuditRow['subject'] = ({ params }) => [params['name']];

export const auditTable: AuditTable = {
  'POST /api/create': { action: 'create', subject: model },
  'POST /api/copy': { action: 'copy', subject: ({ body }) => [body['source'], body['destination']] },
  'DELETE /api/delete': { action: 'delete', subject: model },
  'DELETE /v1/models/*': { action: 'delete', subject: ({ params }) => [params['*']] },
  'POST /api/pull': { action: 'pull', subject: model },
  'POST /api/push': { action: 'push', subject: model },
  'POST /api/blobs/:digest': { action: 'upload', subject: ({ params }) => [params['digest']] },
  'POST /api/verify': { action: 'verify', subject: ({ body }) => [body['repair'] === true ? 'repair' : ''] },
  'POST /api/keys': { action: 'create key', subject: ({ body }) => [body['name']] },
  'DELETE /api/keys/:name': { action: 'revoke key', subject: key },
  'POST /api/keys/:name/rotate': { action: 'rotate key', subject: key },
  'POST /api/remotes': { action: 'add remote', subject: ({ body }) => [body['name']] },
  'DELETE /api/remotes/:name': { action: 'remove remote', subject: key },
  'POST /api/remotes/:name/check': { action: 'check remote', subject: key },
  // The body is the key itself. The route notes its name.
  'POST /api/session': { action: 'begin session', subject: () => [] },
  'DELETE /api/session': { action: 'end session', subject: () => [] },
};
