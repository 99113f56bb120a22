// A bar that shows a part of a whole.

interface MeterProps {
  /** What it shows, in words. */
  readonly label: string;
  /** From 0 to 1. */
  readonly share: number;
}

export function Meter({ label, share }: MeterProps) {
  return <meter min={0} max={1} value={share} aria-label={label} title={label} />;
}
