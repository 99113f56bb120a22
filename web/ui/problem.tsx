// What went wrong, in a sentence.

/** Nothing if the text is empty. */
export function Problem({ text, class: extra = '' }: { readonly text: string; readonly class?: string }) {
  return text === '' ? null : (
    <p class={`problem ${extra}`} role="alert">
      {text}
    </p>
  );
}
