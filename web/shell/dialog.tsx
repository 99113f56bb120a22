// A modal dialog. The browser keeps the focus inside, and closes it with Escape.

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { IconButton } from './icon-button.tsx';
import { useReturnFocus } from './use-return-focus.ts';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  readonly class?: string;
}

/** Open as long as it is rendered. */
export function Dialog({ title, onClose, children, class: extra = '' }: DialogProps) {
  const reference = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = reference.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  // After the dialog is closed: nothing outside can have the focus before.
  useReturnFocus();
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it
    <dialog
      ref={reference}
      class={extra}
      aria-label={title}
      onClose={onClose}
      onClick={(event) => {
        // The backdrop is part of the element; what is on the dialog has another target.
        if (event.target === reference.current) onClose();
      }}
    >
      <div class="dialog-content">
        <header>
          <h2>{title}</h2>
          <IconButton icon="close" label="Close" onClick={onClose} />
        </header>
        {children}
      </div>
    </dialog>
  );
}
