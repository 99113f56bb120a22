// Asks before something that cannot be undone.

import { ConfirmDialog, closeDialog, showDialog } from '../ui/dialog.tsx';

interface Confirmation {
  readonly title: string;
  readonly action: string;
  readonly text: string;
  readonly onConfirm: () => void;
}

export function confirm({ title, action, text, onConfirm }: Confirmation): void {
  const run = (): void => {
    closeDialog();
    onConfirm();
  };
  showDialog(
    <ConfirmDialog title={title} action={action} onClose={closeDialog} onConfirm={run}>
      {text}
    </ConfirmDialog>,
  );
}
