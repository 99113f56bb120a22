// The tools that a model wants to call. The page runs none.

import type { ChatMessage } from '../../conversation/chat-document.ts';
import { Icon } from '../../ui/icon.tsx';

export function ToolCalls({ calls }: { readonly calls: NonNullable<ChatMessage['tool_calls']> }) {
  if (calls.length === 0) return null;
  return (
    <ul class="tool-calls" aria-label="Tool calls">
      {calls.map(({ id, function: { index, name, arguments: values } }) => (
        <li key={id ?? index}>
          <details>
            <summary>
              <Icon name="tool" />
              {name}
            </summary>
            <pre>{JSON.stringify(values, null, 2)}</pre>
          </details>
        </li>
      ))}
    </ul>
  );
}
