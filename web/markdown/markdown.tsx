// A Markdown text: tokens become elements. While the text grows, only its last block is rendered again.

import type { MarkedToken, Token, Tokens } from 'marked';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { t } from '../language/language.ts';
import { BlockReader } from './block-reader.ts';
import { CodeBlock } from './code-block.tsx';
import { Formula } from './formula.tsx';
import { renderInline } from './inline.tsx';
import type { MathToken } from './math-extension.ts';

/** `growing`: text is still added. */
export function Markdown({ text, growing }: { readonly text: string; readonly growing: boolean }) {
  const reader = useMemo(() => new BlockReader(), []);
  const blocks = reader.read(text);
  return (
    <div class="markdown">
      {blocks.map(({ start, token }, index) => (
        <Block key={start} token={token} growing={growing && index === blocks.length - 1} />
      ))}
    </div>
  );
}

/** The same element as before is not rendered again: the token of a complete block does not change. */
function Block({ token, growing }: { readonly token: Token; readonly growing: boolean }) {
  return useMemo(() => <>{renderBlock(token, { growing, depth: 0 })}</>, [token, growing]);
}

interface BlockContext {
  /** Whether text may still be added to the block. */
  readonly growing: boolean;
  /** The number of lists and quotes around the block. */
  readonly depth: number;
}

type BlockToken = MarkedToken | MathToken;
type BlockViews = {
  readonly [Type in BlockToken['type']]?: (
    token: Extract<BlockToken, { type: Type }>,
    context: BlockContext,
  ) => ComponentChildren;
};

/** Deeper blocks are shown as text. */
const maxDepth = 30;

const views: BlockViews = {
  space: () => null,
  def: () => null,
  hr: () => <hr />,
  heading: ({ depth, tokens }) => <Heading depth={depth}>{renderInline(tokens)}</Heading>,
  paragraph: ({ tokens }, context) => <p dir={direction(context)}>{renderInline(tokens)}</p>,
  text: (token) => <span>{renderInline([token])}</span>,
  html: ({ text }) => <p>{text}</p>,
  checkbox: ({ checked }) => (
    <input type="checkbox" checked={checked} disabled aria-label={checked ? 'done' : t('to do')} />
  ),
  code: ({ text, lang = '' }, { growing }) => (
    <CodeBlock code={text} language={lang.split(/\s/, 1)[0] ?? ''} growing={growing} />
  ),
  math: ({ text, display, closed }) => <Formula text={text} display={display} closed={closed} />,
  blockquote: ({ tokens }, context) => (
    <blockquote dir={direction(context)}>{renderBlocks(tokens, deeper(context))}</blockquote>
  ),
  list: (token, context) => renderList(token, context),
  table: (token) => renderTable(token),
};

function renderBlock(token: Token, context: BlockContext): ComponentChildren {
  const view = (
    views as Readonly<Record<string, ((token: never, context: BlockContext) => ComponentChildren) | undefined>>
  )[token.type];
  if (view === undefined || context.depth > maxDepth) return <p>{token.raw}</p>;
  return view(token as never, context);
}

function renderBlocks(tokens: readonly Token[], context: BlockContext): ComponentChildren[] {
  return tokens.map((token) => renderBlock(token, context));
}

function deeper({ growing, depth }: BlockContext): BlockContext {
  return { growing, depth: depth + 1 };
}

/** A block has the direction of its text. Blocks inside follow it: a browser ignores the text of those that have their own. */
function direction({ depth }: BlockContext): 'auto' | undefined {
  return depth === 0 ? 'auto' : undefined;
}

/** The title of the conversation is above those of an answer. */
function Heading({ depth, children }: { readonly depth: number; readonly children: ComponentChildren }) {
  const Element = (['h2', 'h3', 'h4', 'h5'] as const)[depth - 1] ?? 'h6';
  return <Element dir="auto">{children}</Element>;
}

function renderList({ ordered, start, items }: Tokens.List, context: BlockContext) {
  const children = items.map(({ tokens, task }) => (
    <li class={task ? 'task' : undefined}>{renderBlocks(tokens, deeper(context))}</li>
  ));
  if (!ordered) return <ul dir={direction(context)}>{children}</ul>;
  return (
    <ol dir={direction(context)} start={start === '' ? 1 : start}>
      {children}
    </ol>
  );
}

function renderTable({ header, rows }: Tokens.Table) {
  const cell = ({ align }: Tokens.TableCell) => (align === null ? undefined : `align-${align}`);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards must be able to scroll it
    <section class="table" aria-label={t('Table')} tabIndex={0}>
      <table dir="auto">
        <thead>
          <tr>
            {header.map((entry) => (
              <th class={cell(entry)}>{renderInline(entry.tokens)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {row.map((entry) => (
                <td class={cell(entry)}>{renderInline(entry.tokens)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
