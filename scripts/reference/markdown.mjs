// Parts of the generated pages.

export const header = (title, source) =>
  `# ${title}\n\nGenerated from \`${source}\` by \`npm run references\`. Do not edit.\n\n`;

const row = (...cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |\n`;

export const table = (head, rows) =>
  row(...head) + row(...head.map(() => '---')) + rows.map((cells) => row(...cells)).join('');

export const code = (text) => (text === '' ? '' : `\`${text}\``);

export const block = (language, text) => `\`\`\`${language}\n${text.trimEnd()}\n\`\`\`\n`;
