// A bar that shows a part of a whole.

/** The label says what the bar shows. The share is from 0 to 1. */
export function MeterBar({ label, share }: { readonly label: string; readonly share: number }) {
  const percent = Math.round(100 * Math.min(share, 1));
  return (
    // biome-ignore lint/a11y/useSemanticElements: Chromium fills the element only to half of its height
    <div
      class="meter"
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      title={label}
    >
      <div class="meter-fill" style={{ width: `${percent}%` }} />
    </div>
  );
}
