// The attachments of a message: images as pictures, texts as names.

import { plural, t } from '../../language/language.ts';
import { Icon, IconButton } from '../../ui/icon.tsx';
import { type Attachment, toDataAddress } from './attachment.ts';

interface AttachmentListProps {
  readonly attachments: readonly Attachment[];
  /** Absent: they cannot be removed. */
  readonly onRemove?: (attachment: Attachment) => void;
}

export function AttachmentList({ attachments, onRemove }: AttachmentListProps) {
  if (attachments.length === 0) return null;
  return (
    <ul class="attachments" aria-label={t('Attachments')}>
      {attachments.map((attachment) => (
        <li>
          {attachment.kind === 'image' ? (
            <img src={toDataAddress(attachment.base64)} alt={attachment.name} />
          ) : (
            <details>
              <summary>
                <Icon name="file" />
                {attachment.name} <small>{sizeOf(attachment)}</small>
              </summary>
              <pre>{attachment.text}</pre>
            </details>
          )}
          {onRemove === undefined ? null : (
            <IconButton
              icon="close"
              label={t('Remove {name}', { name: attachment.name })}
              onClick={() => onRemove(attachment)}
            />
          )}
        </li>
      ))}
    </ul>
  );
}

function sizeOf({ text, pages }: Extract<Attachment, { kind: 'text' }>): string {
  const characters = plural(text.length, '{count} character', '{count} characters');
  return pages === undefined ? characters : `${plural(pages, '{count} page', '{count} pages')}, ${characters}`;
}
