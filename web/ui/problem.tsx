// What went wrong, in a sentence.

/** Errors of the server have neither a capital nor a full stop, as in Ollama's API. Names, such as `a.txt`, stay as they are. */
export function toSentence(text: string): string {
  const begun = /^[a-z]+[ ,]/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return /[\w'")\]]$/.test(begun) ? `${begun}.` : begun;
}

/** Nothing if the text is empty. */
export function Problem({ text, class: extra = '' }: { readonly text: string; readonly class?: string }) {
  return text === '' ? null : (
    <p class={`problem ${extra}`} role="alert">
      {toSentence(text)}
    </p>
  );
}
