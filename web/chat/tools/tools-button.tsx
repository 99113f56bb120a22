// The button for the tools of a chat, for models that can call tools.

import { useModels } from '../../api/models.ts';
import { t } from '../../language/language.ts';
import { showDialog } from '../../ui/dialog.tsx';
import { IconButton } from '../../ui/icon.tsx';
import type { ChatSession } from '../session/chat-session.ts';

export function ToolsButton({ session }: { readonly session: ChatSession }) {
  const { model, mcp = [] } = session.document.value;
  const isAble = useModels().find(model)?.capabilities.includes('tools') ?? false;
  if (!isAble && mcp.length === 0) return null;
  const show = async (): Promise<void> => {
    const { ToolsDialog } = await import('./tools-dialog.tsx');
    showDialog(<ToolsDialog session={session} />);
  };
  return (
    <IconButton
      icon="tool"
      label={mcp.length === 0 ? t('Tools') : t('Tools: {names}', { names: mcp.join(', ') })}
      class={mcp.length === 0 ? '' : 'pressed'}
      onClick={() => void show()}
    />
  );
}
