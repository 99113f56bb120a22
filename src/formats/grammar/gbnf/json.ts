// JSON as GBNF rules, and the grammar of `format: "json"`. White space is bounded everywhere, because small models
// otherwise indent without end. Digits are bounded too, so that every number is finite.

const jsonRules = {
  value: 'object | array | string | number | "true" | "false" | "null"',
  object: '"{" ws ( member ( "," ws member )* )? ws "}"',
  member: 'string ":" ws value',
  array: '"[" ws ( value ( "," ws value )* )? ws "]"',
  string: String.raw`"\"" char* "\""`,
  // One character of the string, escaped or not; surrogates come in pairs only. The class is not negated: with a
  // negated class, llama.cpp rejects the first byte of a multi-byte character that could be inside or outside of the
  // class.
  char: String.raw`[ !#-\x5B\x5D-~\x80-\uD7FF\uE000-\U0010FFFF] | "\\" ( ["\\/bfnrt] | "u" unicode )`,
  unicode: String.raw`[0-9a-ce-fA-CE-F] hex{3} | [dD] [0-7] hex{2} | [dD] [89abAB] hex{2} "\\u" [dD] [c-fC-F] hex{2}`,
  hex: '[0-9a-fA-F]',
  number: 'integer ( "." [0-9]{1,16} )? ( [eE] [-+]? [0-9]{1,2} )?',
  integer: '"-"? ( "0" | [1-9] [0-9]{0,15} )',
  ws: String.raw`( " " | "\n" [ \t]{0,16} )?`,
} as const;

export type JsonRule = keyof typeof jsonRules;

const ruleNames = new Set(Object.keys(jsonRules));

export function isJsonRule(name: string): name is JsonRule {
  return ruleNames.has(name);
}

/** These rules and the rules that they refer to, one per line. */
export function writeJsonRules(names: Iterable<JsonRule>): string {
  const found = new Set<JsonRule>(names);
  for (const name of found)
    for (const word of jsonRules[name].match(/[a-z]+/g) ?? []) if (isJsonRule(word)) found.add(word);
  return [...found].map((name) => `${name} ::= ${jsonRules[name]}\n`).join('');
}

export const jsonObjectGrammar = `root ::= object\n${writeJsonRules(['object'])}`;
