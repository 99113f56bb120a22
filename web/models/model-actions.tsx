// What can be done with a model: load, unload, copy, delete.

import { useState } from 'preact/hooks';
import { type ModelEntry, useModels } from '../api/models.ts';
import { errorText } from '../api/request.ts';
import { mayManage } from '../api/session.ts';
import { t } from '../language/language.ts';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { IconButton } from '../ui/icon.tsx';
import { Problem } from '../ui/problem.tsx';
import { NameDialog } from './name-dialog.tsx';
import { startChat } from './start-chat.ts';

export function ModelActions({ model, onDeleted }: { readonly model: ModelEntry; readonly onDeleted?: () => void }) {
  const models = useModels();
  const { name, state, capabilities } = model;
  const [dialog, setDialog] = useState<'none' | 'copy' | 'delete'>('none');
  const [isWorking, setWorking] = useState(false);
  const [problem, setProblem] = useState('');
  const close = (): void => setDialog('none');
  const run = async (work: Promise<void>): Promise<void> => {
    close();
    setWorking(true);
    setProblem('');
    await work.catch((error) => setProblem(errorText(error)));
    setWorking(false);
  };
  const isLoaded = state !== 'unloaded';
  return (
    <>
      {capabilities.includes('completion') ? (
        <IconButton icon="chat" label={t('Chat with {name}', { name })} onClick={() => startChat(models, name)} />
      ) : null}
      <IconButton
        icon={isLoaded ? 'unload' : 'play'}
        label={isLoaded ? t('Unload {name}', { name }) : t('Load {name}', { name })}
        disabled={isWorking}
        onClick={() => void run(isLoaded ? models.unload(name) : models.load(model))}
      />
      {mayManage.value ? (
        <>
          <IconButton icon="copy" label={t('Copy {name}', { name })} onClick={() => setDialog('copy')} />
          <IconButton icon="trash" label={t('Delete {name}', { name })} onClick={() => setDialog('delete')} />
        </>
      ) : null}
      <Problem text={problem} />
      {dialog === 'copy' ? (
        <NameDialog
          title={t('Copy {name}', { name })}
          action={t('Copy')}
          onClose={close}
          onName={(destination) => void run(models.copy(name, destination))}
        />
      ) : null}
      {dialog === 'delete' ? (
        <ConfirmDialog
          title={t('Delete this model?')}
          action={t('Delete')}
          onClose={close}
          onConfirm={() => void run(models.delete(name).then(onDeleted))}
        >
          {t('“{name}” will be deleted from the server’s disk. Files that other models use are kept.', { name })}
        </ConfirmDialog>
      ) : null}
    </>
  );
}
