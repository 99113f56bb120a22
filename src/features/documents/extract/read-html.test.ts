import { expect, test } from 'vitest';
import { htmlToText } from './read-html.ts';

test.each([
  ['<p>One\n  two<p>three', 'One two\n\nthree'],
  ['<h1>Title</h1><h2>Part</h2>text', '# Title\n\n## Part\n\ntext'],
  [
    '<head><title>Ferries</title><style>p{}</style></head><body>Two <b>boats</b>, one&nbsp;pier',
    '# Ferries\n\nTwo boats, one pier',
  ],
  ['<ul><li>Alma<li><p>Berta</p></ul>end', '- Alma\n- Berta\n\nend'],
  ['<table><tr><th>Boat<th>Crew<tr><td><p>Alma</p><td>4</table>after', 'Boat | Crew\nAlma | 4\n\nafter'],
  ['a<script>if (1 < 2) b()</script><svg><title>c</title></svg><template>d</template> e', 'a e'],
  ['<pre>one\n  two\n</pre>x', 'one\n  two\n\n\nx'],
  ['line<br>next <img alt="a boat" src="x">&lt;tag&gt;', 'line\nnext a boat<tag>'],
  ['</div></p></title></pre></script>text', 'text'],
  ['', ''],
])('%j', (html, text) => {
  expect(htmlToText(html)).toBe(text);
});

test('what is too deep or too long is refused', () => {
  expect(() => htmlToText('<div>'.repeat(100_000))).toThrow('more than 2000 elements are nested');
  expect(() => htmlToText('<b>word </b>'.repeat(2 ** 21))).toThrow('more than 8388608 characters');
});
