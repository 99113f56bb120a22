// Questions whose answer is JSON, with a schema that also knows the values.

type Schema = Readonly<Record<string, unknown>>;

/** An object with exactly these fields. */
function object(fields: Readonly<Record<string, unknown>>): Schema {
  const properties = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, toSchema(value)]));
  return { type: 'object', properties, required: Object.keys(fields), additionalProperties: false };
}

function toSchema(value: unknown): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : { const: value };
}

const anyText = { type: 'string', minLength: 1 };
const anyNumber = { type: 'number' };
const anyInteger = { type: 'integer' };
const anyBoolean = { type: 'boolean' };
const arrayOf = (items: Schema, count: number): Schema => ({ type: 'array', items, minItems: count, maxItems: count });

const only = 'Answer with JSON only.';

export const jsonQuestions: readonly (readonly [prompt: string, schema: Schema])[] = [
  [`Write a JSON object with the field "name" and the value "Anna". ${only}`, object({ name: 'Anna' })],
  [`Write a JSON object with the field "age" and the number 42. ${only}`, object({ age: 42 })],
  [`Write a JSON object with the field "open" and the value true. ${only}`, object({ open: true })],
  [`Write a JSON object with the field "result" and the value null. ${only}`, object({ result: { type: 'null' } })],
  [`Write a JSON array with the numbers 1, 2 and 3. ${only}`, { const: [1, 2, 3] }],
  [`Write a JSON array with the strings "a" and "b". ${only}`, { const: ['a', 'b'] }],
  [`Write an empty JSON array. ${only}`, { const: [] }],
  [`Write an empty JSON object. ${only}`, { type: 'object', maxProperties: 0 }],
  [`Write a JSON object with the fields "x": 1 and "y": 2. ${only}`, object({ x: 1, y: 2 })],
  [
    `Write a JSON object with a field "tags" that is an array of the strings "new" and "red". ${only}`,
    object({ tags: ['new', 'red'] }),
  ],
  [
    `Write a JSON object with a field "user" that is an object with the field "id" and the number 7. ${only}`,
    object({ user: object({ id: 7 }) }),
  ],
  [
    `Write a JSON array of two objects. Each has a field "n": 1 in the first, 2 in the second. ${only}`,
    { const: [{ n: 1 }, { n: 2 }] },
  ],
  [
    `Extract name and age as JSON with the fields "name" and "age": "Peter is 31 years old." ${only}`,
    object({ name: 'Peter', age: 31 }),
  ],
  [
    `Extract city and country as JSON with the fields "city" and "country": "She lives in Porto, Portugal." ${only}`,
    object({ city: 'Porto', country: 'Portugal' }),
  ],
  [
    `Extract product and price as JSON with the fields "product" and "price" (a number): "The lamp costs 25 euros." ${only}`,
    object({ product: { enum: ['lamp', 'Lamp', 'the lamp', 'The lamp'] }, price: 25 }),
  ],
  [
    `Extract the date as JSON with the field "date" (YYYY-MM-DD): "The meeting is on 2025-02-14." ${only}`,
    object({ date: '2025-02-14' }),
  ],
  [
    `Extract the email address as JSON with the field "email": "Write to info@example.org." ${only}`,
    object({ email: 'info@example.org' }),
  ],
  [
    `Extract all names as JSON with the field "names" (an array): "Lea met Tom and Ida." ${only}`,
    object({ names: ['Lea', 'Tom', 'Ida'] }),
  ],
  [`Extract all numbers as a JSON array: "3 cats, 4 dogs and 12 birds." ${only}`, { const: [3, 4, 12] }],
  [`Extract the colors as a JSON array of strings: "a red car and a blue door" ${only}`, { const: ['red', 'blue'] }],
  [
    `Extract as JSON with the fields "from" and "to": "The train goes from Bonn to Kiel." ${only}`,
    object({ from: 'Bonn', to: 'Kiel' }),
  ],
  [
    `Extract as JSON with the fields "item" and "count" (a number): "Please order 6 chairs." ${only}`,
    object({ item: { enum: ['chairs', 'chair'] }, count: 6 }),
  ],
  [
    `Extract as JSON with the fields "title" and "year" (a number): "The film Dune is from 2021." ${only}`,
    object({ title: 'Dune', year: 2021 }),
  ],
  [
    `Extract as JSON with the fields "first" and "last": "My name is Clara Berg." ${only}`,
    object({ first: 'Clara', last: 'Berg' }),
  ],
  [
    `Extract as JSON with the fields "room" (a number) and "floor" (a number): "Room 14 on floor 3." ${only}`,
    object({ room: 14, floor: 3 }),
  ],
  [`Is a whale a mammal? Answer as JSON with the field "answer" (true or false). ${only}`, object({ answer: true })],
  [`Is 9 an even number? Answer as JSON with the field "even" (true or false). ${only}`, object({ even: false })],
  [`What is 5 + 6? Answer as JSON with the field "result" (a number). ${only}`, object({ result: 11 })],
  [`What is 9 * 9? Answer as JSON with the field "result" (a number). ${only}`, object({ result: 81 })],
  [`What is the capital of Italy? Answer as JSON with the field "capital". ${only}`, object({ capital: 'Rome' })],
  [
    `What is the capital of Spain? Answer as JSON with the fields "country" and "capital". ${only}`,
    object({ country: 'Spain', capital: 'Madrid' }),
  ],
  [
    `Is the sentence "I love this!" positive or negative? Answer as JSON with the field "sentiment". ${only}`,
    object({ sentiment: { enum: ['positive', 'Positive'] } }),
  ],
  [
    `Is the sentence "This is terrible." positive or negative? Answer as JSON with the field "sentiment". ${only}`,
    object({ sentiment: { enum: ['negative', 'Negative'] } }),
  ],
  [
    `Which language is "Guten Tag"? Answer as JSON with the field "language" in English. ${only}`,
    object({ language: 'German' }),
  ],
  [
    `Describe a book as JSON with the fields "title" (a string) and "pages" (an integer). ${only}`,
    object({ title: anyText, pages: anyInteger }),
  ],
  [
    `Describe a person as JSON with the fields "name" (a string), "age" (an integer) and "married" (a boolean). ${only}`,
    object({ name: anyText, age: anyInteger, married: anyBoolean }),
  ],
  [
    `Describe a point as JSON with the fields "x" and "y", both numbers. ${only}`,
    object({ x: anyNumber, y: anyNumber }),
  ],
  [`Write a JSON array of three different names of animals. ${only}`, { ...arrayOf(anyText, 3), uniqueItems: true }],
  [`Write a JSON array of four different integers. ${only}`, { ...arrayOf(anyInteger, 4), uniqueItems: true }],
  [
    `Write a JSON object with the field "colors", an array of two strings. ${only}`,
    object({ colors: arrayOf(anyText, 2) }),
  ],
  [
    `Write a JSON array of two objects, each with the fields "name" (a string) and "price" (a number). ${only}`,
    arrayOf(object({ name: anyText, price: anyNumber }), 2),
  ],
  [
    `Describe an address as JSON with the fields "street", "city" (strings) and "zip" (a string of five digits). ${only}`,
    object({ street: anyText, city: anyText, zip: { type: 'string', pattern: '^[0-9]{5}$' } }),
  ],
  [
    `Describe the state of a lamp as JSON with the fields "on" (a boolean) and "brightness" (an integer from 0 to 100). ${only}`,
    object({ on: anyBoolean, brightness: { ...anyInteger, minimum: 0, maximum: 100 } }),
  ],
  [
    `Write a JSON object with the field "size", which is "small", "medium" or "large". ${only}`,
    object({ size: { enum: ['small', 'medium', 'large'] } }),
  ],
  [
    `Write a JSON object with the field "date", a date in the form YYYY-MM-DD. ${only}`,
    object({ date: { type: 'string', pattern: '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$' } }),
  ],
  [
    `Describe a song as JSON with the fields "title" (a string) and "artist" (an object with the field "name"). ${only}`,
    object({ title: anyText, artist: object({ name: anyText }) }),
  ],
  [
    `Turn the line "17;done" into JSON with the fields "id" (a number) and "status". ${only}`,
    object({ id: 17, status: 'done' }),
  ],
  [
    `Turn the line "color=green" into JSON with the fields "key" and "value". ${only}`,
    object({ key: 'color', value: 'green' }),
  ],
  [`Correct this JSON: {"a": 1, "b": 2,} ${only}`, object({ a: 1, b: 2 })],
  [`Correct this JSON: {name: "Eva"} ${only}`, object({ name: 'Eva' })],
];
