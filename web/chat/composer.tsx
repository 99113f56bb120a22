// The field for the next message, with its attachments.

import { computed, type Signal, useSignal } from '@preact/signals';
import { useCallback, useEffect, useMemo, useRef } from 'preact/hooks';
import { type ModelList, useModels } from '../api/models.ts';
import { errorText } from '../api/request.ts';
import { t } from '../language/language.ts';
import { DictationButton } from '../speech/dictation-button.tsx';
import { IconButton } from '../ui/icon.tsx';
import { useLoaded } from '../ui/use-loaded.ts';
import { type Attachment, readAttachment } from './attachments/attachment.ts';
import { AttachmentList } from './attachments/attachment-list.tsx';
import { useFileDrop } from './attachments/use-file-drop.ts';
import type { MessageDraft } from './drafts.ts';
import type { ChatSession } from './session/chat-session.ts';
import { ToolsButton } from './tools/tools-button.tsx';

interface ComposerProps {
  readonly session: ChatSession;
  readonly draft: MessageDraft;
  readonly onSent: () => void;
}

export function Composer({ session, draft, onSent }: ComposerProps) {
  const models = useModels();
  const { text, attachments } = draft;
  const problem = useSignal('');
  const field = useRef<HTMLTextAreaElement>(null);
  const isRunning = session.running.value !== undefined;
  useEffect(() => focusField(field.current), [session]);
  // The buttons of an answer disappear while it is generated again.
  useEffect(() => {
    if (document.activeElement === document.body) focusField(field.current);
  }, [isRunning]);

  const { add, reading } = useAttach(attachments, problem);
  const isDropping = useFileDrop(add);
  // Not a value of this component: it would be rendered with every key.
  const isEmpty = useMemo(
    () => computed(() => text.value.trim() === '' && attachments.value.length === 0),
    [text, attachments],
  );
  const isSlash = useMemo(() => computed(() => /^\/[^\n]*$/.test(text.value)), [text]);
  const send = (): void => {
    if (isEmpty.peek() || reading.peek().length > 0 || session.running.peek() !== undefined) return;
    problem.value = chooseMissingModel(models, session);
    if (problem.value !== '') return;
    session.send({ text: text.peek().trim(), ...sortOut(attachments.peek()) });
    text.value = '';
    attachments.value = [];
    onSent();
  };
  const notice =
    problem.value ||
    readingText(reading.value) ||
    missingVision(models, session.document.value.model, attachments.value);

  return (
    <form
      class={isDropping ? 'composer dropping' : 'composer'}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <AttachmentList
        attachments={attachments.value}
        onRemove={(removed) => {
          attachments.value = attachments.peek().filter((attachment) => attachment !== removed);
        }}
      />
      {isSlash.value && field.current !== null ? <PromptMenu text={text} field={field.current} /> : null}
      <textarea
        ref={field}
        rows={1}
        aria-label={t('Message')}
        dir="auto"
        placeholder={isDropping ? t('Drop images, documents or text files here') : t('Message, or / for a prompt')}
        value={text}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
        onPaste={(event) => {
          const files = event.clipboardData?.files ?? [];
          if (files.length > 0) event.preventDefault();
          add(files);
        }}
        onKeyDown={(event) => {
          // Enter also ends the choice of a character in many languages.
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      <div class="composer-actions">
        <AttachButton onFiles={add} />
        <ToolsButton session={session} />
        <DictationButton {...{ text, field, problem }} onWritten={() => focusField(field.current)} />
        <span class="notice" role={notice === '' ? undefined : 'alert'}>
          {notice}
        </span>
        {isRunning ? (
          <IconButton icon="stop" label={t('Stop (Esc)')} class="send" onClick={() => session.stop()} />
        ) : (
          <IconButton icon="send" label={t('Send (Enter)')} class="send" disabled={isEmpty.value} onClick={send} />
        )}
      </div>
    </form>
  );
}

/** Reads files; a message can be sent when all are read. */
function useAttach(attachments: MessageDraft['attachments'], problem: Signal<string>) {
  const reading = useSignal<readonly File[]>([]);
  const add = useCallback(
    (files: Iterable<File>): void => {
      problem.value = '';
      for (const file of files) {
        reading.value = [...reading.peek(), file];
        readAttachment(file)
          .then(
            (attachment) => {
              attachments.value = [...attachments.peek(), attachment];
            },
            (error) => {
              problem.value = errorText(error);
            },
          )
          .finally(() => {
            reading.value = reading.peek().filter((other) => other !== file);
          });
      }
    },
    [attachments],
  );
  return { add, reading };
}

function readingText([first]: readonly File[]): string {
  return first === undefined ? '' : t('Reading {name} …', { name: first.name });
}

/** The prompts of the library, which are loaded with the first slash. */
function PromptMenu(props: { readonly text: Signal<string>; readonly field: HTMLTextAreaElement }) {
  const module = useLoaded(() => import('../library/slash-menu.tsx'));
  return module === undefined ? null : <module.SlashMenu {...props} />;
}

/** On a phone, the focus would open the keyboard over the conversation. */
function focusField(field: HTMLTextAreaElement | null): void {
  if (matchMedia('(pointer: fine)').matches) field?.focus();
}

function AttachButton({ onFiles }: { readonly onFiles: (files: Iterable<File>) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton
        icon="attach"
        label={t('Attach images, documents or text files')}
        onClick={() => input.current?.click()}
      />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t('Files to attach')}
        onChange={(event) => {
          onFiles([...(event.currentTarget.files ?? [])]);
          // The same file can be chosen again.
          event.currentTarget.value = '';
        }}
      />
    </>
  );
}

function sortOut(attachments: readonly Attachment[]) {
  return {
    images: attachments.flatMap((attachment) => (attachment.kind === 'image' ? [attachment.base64] : [])),
    files: attachments.flatMap((attachment) =>
      attachment.kind === 'text' ? [{ name: attachment.name, text: attachment.text, pages: attachment.pages }] : [],
    ),
  };
}

/** A chat that was begun before there were models has none. Returns a sentence if there is still none. */
function chooseMissingModel(models: ModelList, session: ChatSession): string {
  if (models.entries.peek()?.length === 0) return t('There are no models yet. Get one in Models.');
  if (session.document.peek().model === '') session.configure({ model: models.preferred() });
  return session.document.peek().model === '' ? t('None of the models can chat. Get another one in Models.') : '';
}

function missingVision(models: ModelList, model: string, attachments: readonly Attachment[]): string {
  const hasImages = attachments.some(({ kind }) => kind === 'image');
  const capabilities = models.find(model)?.capabilities ?? [];
  if (!hasImages || capabilities.length === 0 || capabilities.includes('vision')) return '';
  return t('{model} cannot see images. Choose a model with vision.', { model });
}
