// Asks for a key, if the server needs one and the page has none.

import { useState } from 'preact/hooks';
import { errorText } from '../api/request.ts';
import { beginSession, keyName } from '../api/session.ts';
import { elements, t } from '../language/language.ts';
import { Problem } from '../ui/problem.tsx';

interface KeyFormProps {
  readonly onEntered: () => void;
  /** Called before, if the key has another name than the one before. */
  readonly onOtherUser: () => void;
}

export function KeyForm({ onEntered, onOtherUser }: KeyFormProps) {
  const [key, setKey] = useState('');
  const [problem, setProblem] = useState('');
  const submit = (event: Event): void => {
    event.preventDefault();
    const before = keyName.peek();
    beginSession(key.trim()).then(
      () => {
        if (before !== undefined && before !== keyName.peek()) onOtherUser();
        onEntered();
      },
      (error) => setProblem(errorText(error)),
    );
  };
  return (
    <main class="key-form">
      <form onSubmit={submit}>
        <h1>Hearth</h1>
        <p>
          {elements('This server requires a key. Its administrator can create one with {command}.', {
            command: <code>hearth keys create</code>,
          })}
        </p>
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
        <button type="submit" class="button primary">
          {t('Continue')}
        </button>
      </form>
    </main>
  );
}
