// Asks who the user is, if the server needs to know: with a key, or with the account of a provider.

import { useState } from 'preact/hooks';
import { errorText } from '../api/request.ts';
import { beginSession, signInUrl } from '../api/session.ts';
import type { Label } from '../language/catalogue.ts';
import { elements, t } from '../language/language.ts';
import { Problem } from '../ui/problem.tsx';

/** What the server says in the address when a sign-in has failed. */
const signInProblems: Readonly<Record<string, Label>> = {
  refused: 'Your account may not use this server.',
  failed: 'The sign-in did not work. Try again.',
  unavailable: 'The sign-in service does not answer. Try again later.',
};

function readSignInProblem(): string {
  const name = new URLSearchParams(window.location.search).get('sign-in') ?? '';
  const label = Object.hasOwn(signInProblems, name) ? signInProblems[name] : undefined;
  return label === undefined ? '' : t(label);
}

export function KeyForm({ onEntered }: { readonly onEntered: () => void }) {
  const [key, setKey] = useState('');
  const [problem, setProblem] = useState(readSignInProblem);
  const submit = (event: Event): void => {
    event.preventDefault();
    beginSession(key.trim()).then(onEntered, (error) => setProblem(errorText(error)));
  };
  const address = signInUrl.value;
  return (
    <main class="key-form">
      <form onSubmit={submit}>
        <h1>Hearth</h1>
        {address === undefined ? (
          <p>
            {elements('This server requires a key. Its administrator can create one with {command}.', {
              command: <code>hearth keys create</code>,
            })}
          </p>
        ) : (
          <>
            <p>{t('Sign in with your account, or enter a key.')}</p>
            <a class="button primary" href={address}>
              {t('Sign in')}
            </a>
          </>
        )}
        <label>
          {t('Key')}
          <input
            type="password"
            autocomplete="current-password"
            required
            value={key}
            onInput={(event) => setKey(event.currentTarget.value)}
          />
        </label>
        <Problem text={problem} />
        <button type="submit" class={address === undefined ? 'button primary' : 'button'}>
          {t('Continue')}
        </button>
      </form>
    </main>
  );
}
