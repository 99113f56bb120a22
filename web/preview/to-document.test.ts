import { expect, test } from 'vitest';
import { escapeLibrary, toMermaidDocument, toScript } from './to-document.ts';

test('a value cannot end the script that has it', () => {
  const text = '</script><script>alert(1)</script><!--';
  expect(toScript(text)).not.toContain('<');
  expect(JSON.parse(toScript(text))).toBe(text);
});

test('a library cannot end the script that has it, and means the same', () => {
  const library = 'const a = "</SCRIPT>", b = "<!-- x", c = /<!--/.test(b); [a, b, c]';
  expect(escapeLibrary(library)).not.toMatch(/<!--|<\/script/i);
  // biome-ignore lint/security/noGlobalEval: the text above
  expect(globalThis.eval(escapeLibrary(library))).toEqual(globalThis.eval(library));
});

test('only the two scripts of a diagram may run', () => {
  const document = toMermaidDocument('graph TD; A["</script><script>alert(1)</script>"]', {
    library: 'var mermaid;',
    isDark: true,
    nonce: 'random',
  });
  expect(document.match(/<script/g)).toHaveLength(2);
  expect(document.match(/<script nonce="random">/g)).toHaveLength(2);
  expect(document).toContain("script-src 'nonce-random'");
});
