// Shares a chat by a link, shows the link, and ends it.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { errorText } from '../../api/request.ts';
import { isKeyRequired, keyName } from '../../api/session.ts';
import { shareChat, stopSharing } from '../../api/sharing-api.ts';
import { t } from '../../language/language.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { copyText } from '../../ui/copy-text.ts';
import { closeDialog, Dialog } from '../../ui/dialog.tsx';
import { Problem } from '../../ui/problem.tsx';
import { sharedView, toHash } from '../../ui/router.ts';
import type { Workspace } from '../session/workspace.ts';
import { SharedFolderForm } from './shared-folder-form.tsx';

interface ShareDialogProps {
  readonly workspace: Workspace;
  /** The id of the chat. */
  readonly id: string;
}

export function ShareDialog({ workspace, id }: ShareDialogProps) {
  const link = workspace.chats.value.find((chat) => chat.id === id)?.shared_link;
  const [note, setNote] = useState('');
  const [problem, setProblem] = useState('');
  const isBusy = useRef(false);
  const field = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const shownBefore = useRef(link);
  // The button that had the focus is gone.
  useLayoutEffect(() => {
    if (shownBefore.current !== link) (field.current ?? button.current)?.focus();
    shownBefore.current = link;
  }, [link]);
  const run = async (work: () => Promise<string>): Promise<void> => {
    if (isBusy.current) return;
    isBusy.current = true;
    setProblem('');
    setNote('');
    await work().then(setNote, (error) => setProblem(errorText(error)));
    isBusy.current = false;
  };
  const create = async (): Promise<string> => {
    const created = await shareChat(id);
    workspace.noteLink(id, created);
    // A browser can refuse it. The user can still copy the link.
    return copyText(addressOf(created)).then(
      () => t('Link copied.'),
      () => '',
    );
  };
  const end = async (): Promise<string> => {
    await stopSharing(id);
    workspace.noteLink(id, undefined);
    return t('The link does not work any more.');
  };
  return (
    <Dialog title={t('Share chat')} onClose={closeDialog} class="share">
      <Readers />
      {link === undefined ? null : (
        <div class="secret">
          <input
            ref={field}
            readOnly
            aria-label={t('Link')}
            value={addressOf(link)}
            onFocus={(event) => event.currentTarget.select()}
          />
          <CopyButton text={addressOf(link)} label={t('Copy link')} />
        </div>
      )}
      {link === undefined ? null : <SharedFolderForm id={id} link={link} onDone={setNote} />}
      <p role="status">{note}</p>
      <Problem text={problem} />
      <footer>
        {link === undefined ? (
          <button key="create" ref={button} type="button" class="button primary" onClick={() => void run(create)}>
            {t('Create link')}
          </button>
        ) : (
          <button key="end" type="button" class="button danger" onClick={() => void run(end)}>
            {t('Stop sharing')}
          </button>
        )}
      </footer>
    </Dialog>
  );
}

/** The address of the page that shows the chat. */
function addressOf(link: string): string {
  return new URL(toHash({ view: sharedView, id: link }), window.location.href).href;
}

/** Who can read what. */
function Readers() {
  const name = keyName.value;
  return (
    <>
      <p>
        {isKeyRequired.value
          ? t(
              'Everybody with a key or an account on this server who has the link can read this chat, and what is said in it later.',
            )
          : t(
              'This server needs no key: everybody who can reach it and has the link can read this chat, and what is said in it later.',
            )}
      </p>
      <p class="quiet">
        {t(
          'Readers see the title, the messages that you see with their images and files, and the names of models and tools. They do not see the system prompt, thoughts, or what tools were given and returned, and they cannot change anything.',
        )}{' '}
        {name === undefined ? null : t('They see your name: {name}.', { name })}
      </p>
    </>
  );
}
