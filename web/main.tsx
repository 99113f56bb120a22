// The entry point of the web page.

import { computed, effect, signal } from '@preact/signals';
import { render } from 'preact';
import { ModelList, ModelsProvider } from './api/models.ts';
import { errorText, isKeyMissing } from './api/request.ts';
import { keyName, readSession } from './api/session.ts';
import { App } from './app/app.tsx';
import { KeyForm } from './app/key-form.tsx';
import { Drafts } from './chat/drafts.ts';
import { Workspace } from './chat/session/workspace.ts';
import { chooseLanguage, currentLanguage, matchLanguage, t } from './language/language.ts';
import { openStorage } from './storage/open-storage.ts';
import { PageSettingsStore } from './storage/page-settings.ts';
import { Problem } from './ui/problem.tsx';
import { watchLocation } from './ui/router.ts';
import './style/main.css';

const models = new ModelList();
const workspace = signal<Workspace | undefined>(undefined);
const problem = signal('');
// They outlive the session of a key.
const drafts = new Drafts(sessionStorage);
const settings = new PageSettingsStore(localStorage);
settings.current.subscribe(({ theme }) => {
  document.documentElement.dataset['theme'] = theme;
});
effect(() => {
  document.documentElement.lang = currentLanguage();
});
// No language of the page is written from right to left. This shows what the page would look like.
document.documentElement.dir = new URLSearchParams(location.search).get('dir') === 'rtl' ? 'rtl' : 'ltr';

const userItem = 'hearth-user';

function forgetUser(): void {
  drafts.clear();
  settings.change({ toolPermissions: {} });
  void import('./library/own-library.ts').then(({ library }) => library.clear());
}

/** A browser that somebody else signs in with, also after a visit to the provider, keeps nothing of the user before. */
function forgetOtherUser(): void {
  const name = keyName.peek() ?? '';
  const before = sessionStorage.getItem(userItem);
  if (before !== null && before !== name) forgetUser();
  sessionStorage.setItem(userItem, name);
}

async function open(): Promise<void> {
  problem.value = '';
  try {
    await readSession();
    if (isKeyMissing.peek()) return;
    forgetOtherUser();
    const [{ storage, chats }] = await Promise.all([openStorage(), models.refresh()]);
    workspace.value = new Workspace({ storage, chats, models, settings });
    models.watch();
    workspace.value.watch();
  } catch (error) {
    problem.value = errorText(error);
  }
}

function Page() {
  if (isKeyMissing.value) return <KeyForm onEntered={() => void open()} />;
  if (workspace.value !== undefined)
    return (
      <ModelsProvider value={models}>
        <App workspace={workspace.value} drafts={drafts} settings={settings} />
      </ModelsProvider>
    );
  if (problem.value === '') return null;
  return (
    <main class="centered">
      <Problem text={problem.value} />
      <button type="button" class="button" onClick={() => void open()}>
        {t('Try again')}
      </button>
    </main>
  );
}

watchLocation();
const root = document.getElementById('app');
if (root === null) throw new Error('index.html has no element #app');
const language = computed(() => matchLanguage(settings.current.value.language, navigator.languages));
void chooseLanguage(language.peek()).then(() => {
  render(<Page />, root);
  language.subscribe((tag) => void chooseLanguage(tag));
});
void open();
// Browsers allow a service worker only with TLS or on the same machine.
navigator.serviceWorker?.register('/page/worker.js', { scope: '/' }).catch(() => {
  // The browser does not trust the certificate. The page works without the worker.
});
