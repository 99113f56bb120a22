// The entry point of the web page.

import { signal } from '@preact/signals';
import { render } from 'preact';
import { messageOf } from './api/api-error.ts';
import { refreshModels, watchModels } from './api/models.ts';
import { isKeyMissing } from './api/request.ts';
import { readSession } from './api/session.ts';
import { App } from './app/app.tsx';
import { KeyForm } from './app/key-form.tsx';
import { createWorkspace, type Workspace, watchChats } from './chat/session/workspace.ts';
import { openStorage } from './storage/open-storage.ts';
import { watchLocation } from './ui/router.ts';
import { registerWorker } from './worker/register.ts';
import './style/main.css';

const workspace = signal<Workspace | undefined>(undefined);
const problem = signal('');

async function open(): Promise<void> {
  problem.value = '';
  try {
    await readSession();
    if (isKeyMissing.peek()) return;
    const [opened] = await Promise.all([openStorage(), refreshModels()]);
    workspace.value = createWorkspace(opened);
    watchModels();
    watchChats(workspace.value);
  } catch (error) {
    problem.value = messageOf(error);
  }
}

function Page() {
  if (isKeyMissing.value) return <KeyForm onEntered={() => void open()} />;
  if (workspace.value !== undefined) return <App workspace={workspace.value} />;
  if (problem.value === '') return null;
  return (
    <main class="centered">
      <p class="problem" role="alert">
        {problem}
      </p>
      <button type="button" class="button" onClick={() => void open()}>
        Try again
      </button>
    </main>
  );
}

watchLocation();
const root = document.getElementById('app');
if (root === null) throw new Error('index.html has no element #app');
render(<Page />, root);
void open();
registerWorker();
