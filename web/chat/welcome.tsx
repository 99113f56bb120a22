// What is shown before the first message.

import { models } from '../api/models.ts';

export function Welcome() {
  return (
    <div class="welcome">
      <img src="/page/icon.svg" alt="" width="56" height="56" />
      <h2>What can I help with?</h2>
      {models.value?.length === 0 ? (
        <p>
          There are no models yet. The command <code>hearth pull NAME</code> gets one.
        </p>
      ) : (
        <p>Everything stays on this server.</p>
      )}
    </div>
  );
}
