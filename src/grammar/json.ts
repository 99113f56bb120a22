// The grammar behind `format: "json"`: one JSON object. White space is allowed where people write it and nowhere
// without bound, since small models like nothing better than to go on indenting for ever.

export const jsonObjectGrammar = String.raw`
root   ::= object
value  ::= object | array | string | number | "true" | "false" | "null"
object ::= "{" ws ( member ( "," ws member )* )? ws "}"
member ::= string ":" ws value
array  ::= "[" ws ( value ( "," ws value )* )? ws "]"
string ::= "\"" ( [^"\\\x7F\x00-\x1F] | "\\" ( ["\\/bfnrt] | "u" [0-9a-fA-F]{4} ) )* "\""
number ::= "-"? ( "0" | [1-9] [0-9]{0,15} ) ( "." [0-9]{1,16} )? ( [eE] [-+]? [0-9]{1,3} )?
ws     ::= ( " " | "\n" [ \t]{0,16} )?
`;
