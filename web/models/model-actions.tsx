// What can be done with a model: load, unload, copy, delete.

import { useSignal } from '@preact/signals';
import { messageOf } from '../api/api-error.ts';
import { copyModel, deleteModel, loadModel, unloadModel } from '../api/manage-models.ts';
import type { ModelEntry } from '../api/models.ts';
import { mayManage } from '../api/session.ts';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { NameDialog } from './name-dialog.tsx';

interface ModelActionsProps {
  readonly model: ModelEntry;
  /** Called after it was deleted. */
  readonly onDeleted?: () => void;
}

type OpenDialog = 'none' | 'copy' | 'delete';

export function ModelActions({ model, onDeleted }: ModelActionsProps) {
  const { name, state } = model;
  const dialog = useSignal<OpenDialog>('none');
  const isWorking = useSignal(false);
  const problem = useSignal('');
  const close = (): void => {
    dialog.value = 'none';
  };
  const run = async (work: () => Promise<void>): Promise<void> => {
    close();
    isWorking.value = true;
    problem.value = '';
    try {
      await work();
    } catch (error) {
      problem.value = messageOf(error);
    }
    isWorking.value = false;
  };
  const isLoaded = state !== 'unloaded';
  return (
    <>
      {isLoaded ? (
        <IconButton
          icon="unload"
          label={`Unload ${name}`}
          disabled={isWorking.value}
          onClick={() => void run(() => unloadModel(name))}
        />
      ) : (
        <IconButton
          icon="play"
          label={`Load ${name}`}
          disabled={isWorking.value}
          onClick={() => void run(() => loadModel(model))}
        />
      )}
      {mayManage.value ? (
        <>
          <IconButton
            icon="copy"
            label={`Copy ${name}`}
            onClick={() => {
              dialog.value = 'copy';
            }}
          />
          <IconButton
            icon="trash"
            label={`Delete ${name}`}
            onClick={() => {
              dialog.value = 'delete';
            }}
          />
        </>
      ) : null}
      {problem.value === '' ? null : (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {dialog.value === 'copy' ? (
        <NameDialog
          title={`Copy ${name}`}
          action="Copy"
          onClose={close}
          onName={(destination) => void run(() => copyModel(name, destination))}
        />
      ) : null}
      {dialog.value === 'delete' ? (
        <ConfirmDialog
          title="Delete this model?"
          action="Delete"
          onClose={close}
          onConfirm={() => void run(() => deleteModel(name).then(onDeleted))}
        >
          “{name}” will be removed from the disk of the server. Files that other models use stay.
        </ConfirmDialog>
      ) : null}
    </>
  );
}
