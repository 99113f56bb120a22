// A modal dialog. The browser keeps the focus inside, and closes the dialog with Escape.

import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../language/language.ts';
import { IconButton } from './icon.tsx';

/** The dialog of the page; there is one at a time. */
export const shownDialog = signal<ComponentChildren>(null);

export function showDialog(dialog: ComponentChildren): void {
  shownDialog.value = dialog;
}

export function closeDialog(): void {
  shownDialog.value = null;
}

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  readonly class?: string;
}

/** Open as long as it is rendered. */
export function Dialog({ title, onClose, children, class: extra }: DialogProps) {
  const reference = useRef<HTMLDialogElement>(null);
  // The browser gives the focus back if the dialog is closed before it is removed: other effects end too late.
  useLayoutEffect(() => {
    const dialog = reference.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it
    <dialog
      ref={reference}
      class={extra}
      aria-label={title}
      onClose={() => {
        // The event of a dialog that was removed must not close the next one.
        if (reference.current !== null) onClose();
      }}
      onClick={(event) => {
        // The backdrop is part of the element; what is on the dialog has another target.
        if (event.target === reference.current) onClose();
      }}
    >
      <div class="dialog-content">
        <header>
          <h2>{title}</h2>
          <IconButton icon="close" label={t('Close')} onClick={onClose} />
        </header>
        {children}
      </div>
    </dialog>
  );
}

interface ConfirmDialogProps extends Omit<DialogProps, 'class'> {
  /** What the button does, such as "Delete". */
  readonly action: string;
  readonly onConfirm: () => void;
}

/** Asks before something is done that cannot be undone. */
export function ConfirmDialog({ title, action, children, onConfirm, onClose }: ConfirmDialogProps) {
  return (
    <Dialog title={title} onClose={onClose} class="confirm">
      <p>{children}</p>
      <footer>
        <button type="button" class="button" autofocus onClick={onClose}>
          {t('Cancel')}
        </button>
        <button type="button" class="button danger" onClick={onConfirm}>
          {action}
        </button>
      </footer>
    </Dialog>
  );
}
