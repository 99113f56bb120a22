// The line above the messages: title, model, context, settings.

import { useSignal } from '@preact/signals';
import { IconButton } from '../../ui/icon-button.tsx';
import type { ChatSession } from '../session/chat-session.ts';
import { ContextGauge } from './context-gauge.tsx';
import { ModelPicker } from './model-picker.tsx';
import { SettingsDialog } from './settings-dialog.tsx';

export function ChatHeader({ session }: { readonly session: ChatSession }) {
  const isOpen = useSignal(false);
  const { title } = session.document.value;
  return (
    <div class="chat-header">
      <h1>{title === '' ? 'New chat' : title}</h1>
      <ContextGauge session={session} />
      <ModelPicker session={session} />
      <IconButton
        icon="settings"
        label="Settings of this chat"
        onClick={() => {
          isOpen.value = true;
        }}
      />
      {isOpen.value ? (
        <SettingsDialog
          session={session}
          onClose={() => {
            isOpen.value = false;
          }}
        />
      ) : null}
    </div>
  );
}
