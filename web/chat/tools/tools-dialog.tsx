// The tools that the model may use in a chat: servers are on or off, and each tool asks, always runs or is never offered.

import { useEffect, useState } from 'preact/hooks';
import type { McpResponseBody } from '../../../src/features/mcp/mcp-schema.ts';
import { errorText, requestJson } from '../../api/request.ts';
import { permissionKey } from '../../conversation/tool-calls.ts';
import { t } from '../../language/language.ts';
import { closeDialog, Dialog } from '../../ui/dialog.tsx';
import { Problem } from '../../ui/problem.tsx';
import type { ChatSession } from '../session/chat-session.ts';

type ServerBody = McpResponseBody['servers'][number];

export function ToolsDialog({ session }: { readonly session: ChatSession }) {
  const [list, setList] = useState<McpResponseBody | undefined>(undefined);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    requestJson<McpResponseBody>('/api/mcp').then(setList, (error) => setProblem(errorText(error)));
  }, []);
  const { mcp = [] } = session.document.value;
  const isListed = (name: string): boolean => list?.servers.some((server) => server.name === name) ?? true;
  return (
    <Dialog title={t('Tools')} onClose={closeDialog} class="settings tools-dialog">
      <p class="quiet">{t('The model may use the tools of the servers that you choose for this chat.')}</p>
      <Problem text={problem} />
      <Problem text={list?.error ?? ''} />
      {list === undefined && problem === '' ? (
        <p aria-busy="true">{t('Asking the servers for their tools …')}</p>
      ) : null}
      {list?.servers.length === 0 ? (
        <p>{t('There are no tools yet. The administrator of this server can add MCP servers.')}</p>
      ) : null}
      {list?.servers.map((server) => (
        <Server key={server.name} session={session} server={server} />
      ))}
      {mcp
        .filter((name) => !isListed(name))
        .map((name) => (
          <ServerSwitch key={name} session={session} name={name} />
        ))}
    </Dialog>
  );
}

function ServerSwitch({ session, name }: { readonly session: ChatSession; readonly name: string }) {
  const { mcp = [] } = session.document.value;
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={mcp.includes(name)}
        onChange={({ currentTarget: { checked } }) => {
          const others = mcp.filter((other) => other !== name);
          const servers = checked ? [...others, name] : others;
          session.configure({ mcp: servers.length === 0 ? undefined : servers });
        }}
      />
      {name}
    </label>
  );
}

function Server({ session, server }: { readonly session: ChatSession; readonly server: ServerBody }) {
  const { name, state, error, tools, tools_left_out: leftOut = 0 } = server;
  return (
    <section class="tool-server" aria-label={name}>
      <ServerSwitch session={session} name={name} />
      {state === 'failed' ? <Problem text={error ?? t('This server does not answer.')} /> : null}
      <ul>
        {tools.map((tool) => (
          <Tool key={tool.name} session={session} server={name} tool={tool} />
        ))}
      </ul>
      {leftOut === 0 ? null : <p class="quiet">{t('Some tools of this server are left out.')}</p>}
    </section>
  );
}

interface ToolProps {
  readonly session: ChatSession;
  readonly server: string;
  readonly tool: ServerBody['tools'][number];
}

function Tool({ session, server, tool: { name, description } }: ToolProps) {
  const place = { server, tool: name };
  const permission = session.settings.value.toolPermissions[permissionKey(place)] ?? 'ask';
  return (
    <li>
      <span>
        <strong>{name}</strong>
        <small dir="auto">{description}</small>
      </span>
      <select
        aria-label={t('Permission for {tool}', { tool: name })}
        value={permission}
        onChange={({ currentTarget: { value } }) =>
          session.permit(place, value === 'always' || value === 'never' ? value : undefined)
        }
      >
        <option value="ask">{t('Ask each time')}</option>
        <option value="always">{t('Always allow')}</option>
        <option value="never">{t('Never allow')}</option>
      </select>
    </li>
  );
}
