// Asks before something is done that cannot be undone.

import type { ComponentChildren } from 'preact';
import { Dialog } from './dialog.tsx';

interface ConfirmDialogProps {
  readonly title: string;
  /** What the button does, as in "Delete". */
  readonly action: string;
  readonly children: ComponentChildren;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

export function ConfirmDialog({ title, action, children, onConfirm, onClose }: ConfirmDialogProps) {
  return (
    <Dialog title={title} onClose={onClose} class="confirm">
      <p>{children}</p>
      <footer>
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" class="button danger" onClick={onConfirm}>
          {action}
        </button>
      </footer>
    </Dialog>
  );
}
