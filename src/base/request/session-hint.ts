// Which conversation a request belongs to, as agents say it in headers. A hint decides only which of the caller's own
// prompts are kept. Its value is not trusted, and its hash has the same length whatever a client sends.

import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

// Several clients send the first one, Codex the next two, Claude Code the last two.
const sessionHeaders = [
  'x-session-id',
  'session_id',
  'session-id',
  'x-claude-code-session-id',
  'x-claude-code-agent-id',
] as const;

/** Undefined if no header says it. An agent of a session has a conversation of its own. */
export function sessionOfHeaders(headers: IncomingHttpHeaders): string | undefined {
  const values = sessionHeaders.map((name) => headers[name]).filter((value) => typeof value === 'string');
  return values.length === 0 ? undefined : hashOfSession(values.join('\n'));
}

export function hashOfSession(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
