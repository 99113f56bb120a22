// Draws progress as lines, as a function of the state, the width and the time. The last column stays empty, so that no
// terminal wraps a line.

import { cutText, padText, padTextStart, widthOf } from '../output/fit-text.ts';
import { formatByteSize, formatTimeLeft } from '../output/format.ts';
import type { Bar, ProgressItem, ProgressState } from './progress-state.ts';
import { rateAt } from './transfer-speed.ts';

const spinner = [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'];
/** The time of a spinner frame, and between two redraws. */
export const frameTimeMs = 100;

export function drawProgress(
  { items, startedAt }: ProgressState,
  canvas: { readonly width: number; readonly now: number },
): string[] {
  const bars = items.filter((item): item is Bar => item.kind === 'bar');
  const layout = chooseLayout(bars, canvas.width - 1);
  const frame = spinner[Math.floor((canvas.now - startedAt) / frameTimeMs) % spinner.length] ?? '';
  const room = canvas.width - 1;
  const drawItem = (item: ProgressItem): string => {
    if (item.kind === 'bar') return drawBar(item, layout, canvas.now);
    return item.ended ? item.label : `${cutText(item.label, room - 2)} ${frame}`;
  };
  return items.map((item) => cutText(drawItem(item).trimEnd(), room));
}

// Widths of the fields around the bar.
const widths = { percent: 5, edges: 4, size: 6, sizes: 13, rate: 10, timeLeft: 8 } as const;

interface Layout {
  readonly label: (bar: Bar) => string;
  readonly labelWidth: number;
  readonly barWidth: number;
  readonly size: 'done and total' | 'total' | 'none';
  readonly rate: boolean;
  readonly timeLeft: boolean;
}

type Candidate = Pick<Layout, 'size' | 'rate' | 'timeLeft'> & {
  readonly label: 'long' | 'short';
  readonly minBar: number;
};

/** From detailed to minimal; the first one with enough room for its bar is used. Labels shrink before numbers. */
const candidates: readonly Candidate[] = [
  { label: 'long', size: 'done and total', rate: true, timeLeft: true, minBar: 12 },
  { label: 'short', size: 'done and total', rate: true, timeLeft: true, minBar: 8 },
  { label: 'short', size: 'done and total', rate: false, timeLeft: true, minBar: 6 },
  { label: 'short', size: 'total', rate: false, timeLeft: true, minBar: 4 },
  { label: 'short', size: 'none', rate: false, timeLeft: true, minBar: 0 },
];
const maxBarWidth = 80;

function chooseLayout(bars: readonly Bar[], width: number): Layout {
  const labelWidths = {
    long: Math.max(0, ...bars.map(({ label }) => widthOf(label))),
    short: Math.max(0, ...bars.map(({ shortLabel }) => widthOf(shortLabel))),
  };
  const inBytes = bars.some((bar) => bar.inBytes);
  const layouts = candidates.map((candidate): Layout & { readonly minBar: number } => {
    const { label, timeLeft, minBar } = candidate;
    const size = inBytes ? candidate.size : 'none';
    const rate = inBytes && candidate.rate;
    const labelWidth = Math.min(labelWidths[label], Math.floor(width / 2));
    const taken =
      labelWidth +
      widths.percent +
      widths.edges +
      { 'done and total': widths.sizes, total: widths.size, none: 0 }[size] +
      (rate ? widths.rate : 0) +
      (timeLeft ? widths.timeLeft : 0);
    const name = (bar: Bar): string => cutText(label === 'long' ? bar.label : bar.shortLabel, labelWidth);
    return { label: name, labelWidth, barWidth: Math.min(width - taken, maxBarWidth), size, rate, timeLeft, minBar };
  });
  return layouts.find(({ barWidth, minBar }) => barWidth >= minBar) ?? minimalLayout(width);
}

/** A label and a percentage, for any width. */
function minimalLayout(width: number): Layout {
  const labelWidth = Math.max(0, width - widths.percent);
  const label = (bar: Bar): string => cutText(bar.shortLabel, labelWidth);
  return { label, labelWidth, barWidth: -1, size: 'none', rate: false, timeLeft: false };
}

function drawBar(bar: Bar, layout: Layout, now: number): string {
  const { completed, total } = bar;
  const isDone = completed >= total;
  // Rounding must not show 100% before the end.
  const percent = isDone ? 100 : Math.min(99, Math.round((completed / total) * 100));
  const start = `${padText(layout.label(bar), layout.labelWidth)} ${String(percent).padStart(3)}%`;
  if (layout.barWidth < 0) return start;
  const filled = Math.floor((completed / total) * layout.barWidth);
  const drawn = `▕${'█'.repeat(filled)}${' '.repeat(layout.barWidth - filled)}▏`;
  return `${start} ${drawn} ${drawNumbers(bar, layout, isDone ? undefined : rateAt(bar.speed, now))}`;
}

function drawNumbers({ completed, total, inBytes }: Bar, layout: Layout, rate: number | undefined): string {
  const totalText = inBytes ? formatByteSize(total) : '';
  const both = inBytes ? `${padTextStart(formatByteSize(completed), widths.size)}/${totalText}` : '';
  const sizes = { 'done and total': completed >= total ? totalText : both, total: totalText, none: '' };
  const sizeWidth = { 'done and total': widths.sizes, total: widths.size, none: 0 }[layout.size];
  const rateText = rate === undefined || !inBytes ? '' : `${formatByteSize(rate)}/s`;
  const leftText = rate === undefined ? '' : formatTimeLeft(((total - completed) / rate) * 1000);
  return [
    padText(sizes[layout.size], sizeWidth),
    layout.rate ? padTextStart(rateText, widths.rate) : '',
    layout.timeLeft ? padTextStart(leftText, widths.timeLeft) : '',
  ].join('');
}
