// The list of keyboard shortcuts.

import type { Label } from '../language/catalogue.ts';
import { t } from '../language/language.ts';
import { Dialog } from '../ui/dialog.tsx';

const shortcuts: readonly { readonly keys: readonly string[]; readonly text: Label }[] = [
  { keys: ['Enter'], text: 'Send the message' },
  { keys: ['Shift', 'Enter'], text: 'New line in the message' },
  { keys: ['/'], text: 'Insert a prompt from the library' },
  { keys: ['Esc'], text: 'Stop the answer, or close a dialog' },
  { keys: ['Ctrl', 'Shift', 'O'], text: 'New chat' },
  { keys: ['Ctrl', 'K'], text: 'Search chats' },
  { keys: ['F2'], text: 'Rename the focused chat' },
  { keys: ['Delete'], text: 'Delete the focused chat' },
  { keys: ['Ctrl', ','], text: 'Settings' },
  { keys: ['?'], text: 'Show this list, outside of text fields' },
  { keys: ['Ctrl', '/'], text: 'Show this list' },
];

export function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  const isMac = navigator.platform.startsWith('Mac');
  return (
    <Dialog title={t('Keyboard shortcuts')} onClose={onClose} class="shortcuts">
      <dl>
        {shortcuts.map(({ keys, text }) => (
          <div key={text}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{isMac && key === 'Ctrl' ? '⌘' : key}</kbd>
              ))}
            </dt>
            <dd>{t(text)}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
