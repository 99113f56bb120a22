// The parts of a line: tokens become elements. No HTML of a model becomes part of the page; it is shown as text.

import type { MarkedToken, Token } from 'marked';
import type { ComponentChildren } from 'preact';
import { t } from '../language/language.ts';
import { decodeEntities } from './decode-entities.ts';
import { Formula } from './formula.tsx';
import type { MathToken } from './math-extension.ts';

type InlineToken = MarkedToken | MathToken;
type InlineViews = {
  readonly [Type in InlineToken['type']]?: (token: Extract<InlineToken, { type: Type }>) => ComponentChildren;
};

const views: InlineViews = {
  text: (token) => (token.tokens === undefined ? decodeEntities(token.text) : renderInline(token.tokens)),
  escape: (token) => token.text,
  strong: (token) => <strong>{renderInline(token.tokens)}</strong>,
  em: (token) => <em>{renderInline(token.tokens)}</em>,
  del: (token) => <del>{renderInline(token.tokens)}</del>,
  codespan: (token) => <code>{token.text}</code>,
  br: () => <br />,
  link: (token) => (
    <Link address={token.href} title={token.title}>
      {token.autolink ? token.text : renderInline(token.tokens)}
    </Link>
  ),
  image: ({ href, text, title }) =>
    isInlineImage(href) ? (
      <img src={href} alt={text} />
    ) : (
      <Link address={href} title={title}>
        {text === '' ? t('Image') : t('Image: {text}', { text })}
      </Link>
    ),
  html: (token) => (/^<br ?\/?>$/i.test(token.text) ? <br /> : token.text),
  math: (token) => <Formula text={token.text} display={token.display} closed={token.closed} />,
};

export function renderInline(tokens: readonly Token[]): ComponentChildren[] {
  return tokens.map((token) => {
    const view = (views as Readonly<Record<string, ((token: never) => ComponentChildren) | undefined>>)[token.type];
    return view === undefined ? token.raw : view(token as never);
  });
}

interface LinkProps {
  readonly address: string;
  readonly title?: string | null;
  readonly children: ComponentChildren;
}

function Link({ address, title, children }: LinkProps) {
  const safe = toSafeLink(address);
  if (safe === undefined) return <span>{children}</span>;
  return (
    <a href={safe} title={title ?? safe} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

/** A model can write any address, also those that run scripts or that tell a server who reads the answer. */
const linkSchemes = ['http:', 'https:', 'mailto:'];

/** undefined: the address does not become a link. */
export function toSafeLink(address: string): string | undefined {
  try {
    const url = new URL(address);
    return linkSchemes.includes(url.protocol) ? url.href : undefined;
  } catch {
    return undefined;
  }
}

/** Images are never fetched: only those that are part of the answer are shown. */
export function isInlineImage(address: string): boolean {
  return /^data:image\/(?:png|jpeg|gif|webp);base64,/i.test(address.slice(0, 40));
}
