// The list of keyboard shortcuts.

import { Dialog } from '../ui/dialog.tsx';

const shortcuts = [
  { keys: ['Enter'], text: 'Send the message' },
  { keys: ['Shift', 'Enter'], text: 'New line in the message' },
  { keys: ['Esc'], text: 'Stop the answer, or close a dialog' },
  { keys: ['Ctrl', 'Shift', 'O'], text: 'New chat' },
  { keys: ['Ctrl', 'K'], text: 'Search chats' },
  { keys: ['Ctrl', ','], text: 'Settings' },
  { keys: ['?'], text: 'This list, if no field has the focus' },
  { keys: ['Ctrl', '/'], text: 'This list' },
];

export function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  const isMac = navigator.platform.startsWith('Mac');
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} class="shortcuts">
      <dl>
        {shortcuts.map(({ keys, text }) => (
          <div key={text}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{isMac && key === 'Ctrl' ? '⌘' : key}</kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
