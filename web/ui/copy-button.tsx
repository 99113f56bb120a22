// A button that copies a text, and says so.

import { useEffect, useState } from 'preact/hooks';
import { t } from '../language/language.ts';
import { copyText } from './copy-text.ts';
import { IconButton } from './icon.tsx';

const confirmationMs = 1500;

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), confirmationMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = (): void => {
    copyText(text).then(
      () => setCopied(true),
      () => {},
    );
  };
  return <IconButton icon={isCopied ? 'check' : 'copy'} label={isCopied ? t('Copied') : label} onClick={copy} />;
}
