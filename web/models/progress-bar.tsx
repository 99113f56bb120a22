// A bar for bytes, with their numbers. Without a total it shows that work goes on.

import { t } from '../language/language.ts';
import { formatSize } from '../ui/format.ts';
import { sumOf, type TransferProgress } from './transfer-progress.ts';

interface ProgressBarProps {
  readonly progress: TransferProgress;
  readonly label: string;
  readonly isDone?: boolean;
}

export function ProgressBar({ progress, label, isDone = false }: ProgressBarProps) {
  const { completed, total } = sumOf(progress.files);
  if (isDone) return <progress aria-label={label} value={1} />;
  if (total === 0) return <progress aria-label={label} />;
  return (
    <div class="progress">
      <progress aria-label={label} value={completed} max={total} />
      <span>{t('{completed} of {total}', { completed: formatSize(completed), total: formatSize(total) })}</span>
    </div>
  );
}
