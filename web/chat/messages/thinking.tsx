// What a model thought before it answered. Folded: most users want the answer.

interface ThinkingProps {
  readonly text: string;
  readonly isRunning: boolean;
}

export function Thinking({ text, isRunning }: ThinkingProps) {
  if (text === '') return null;
  return (
    <details class="thinking">
      <summary>{isRunning ? <span class="pulsing">Thinking…</span> : 'Thoughts'}</summary>
      <div class="plain">{text}</div>
    </details>
  );
}
