import type { Operation } from './document.js';

export type Call = {
  readonly operation: Pick<Operation, 'api' | 'name' | 'path'>;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly origin: string;
};

const camel = (name: string) => `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
const snake = (name: string) => name.replace(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
const shellQuoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Returns JSON on one line, and any other text unchanged. */
const compact = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
};
const parsed = (text: string): Record<string, unknown> => {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
};

/** Returns the options of an SDK call that correspond to the request headers. */
const optionsOf = (headers: Call['headers'], names: Readonly<Record<string, (value: string) => string>>) =>
  Object.entries(headers).flatMap(([name, value]) => names[name]?.(value) ?? []);

const curl = ({ operation: { path }, body, headers, origin }: Call) =>
  [
    `body=${shellQuoted(compact(body))}`,
    'nonce="$(date +%s%3N)-$(openssl rand -hex 8)"',
    'digest=$(printf %s "$body" | openssl dgst -sha256 -r | cut -d" " -f1)',
    `text=$(printf '%s\\nPOST\\n${path}\\n%s' "$nonce" "$digest")`,
    'signature=$(printf %s "$text" | openssl dgst -sha256 -hmac "$CHAINFOLD_API_SECRET" -r | cut -d" " -f1)',
    `curl -sS ${shellQuoted(origin + path)} -H 'content-type: application/json' \\`,
    '  -H "x-api-key: $CHAINFOLD_API_KEY" -H "x-api-nonce: $nonce" -H "x-api-signature: $signature" \\',
    ...Object.entries(headers).map(([name, value]) => `  -H ${shellQuoted(`${name}: ${value}`)} \\`),
    '  --data-binary "$body"',
  ].join('\n');

const commandLine = ({ operation: { api, name }, body, origin }: Call) =>
  `npx chainfold call ${api} ${name} ${shellQuoted(compact(body))} --url ${origin}`;

const typescript = ({ operation: { api, name }, body, headers, origin }: Call) => {
  const options = optionsOf(headers, {
    'idempotency-key': (value) => `idempotencyKey: ${JSON.stringify(value)}`,
    'x-as-of': (value) => `asOf: ${JSON.stringify(value)}`,
    'x-min-position': (value) => `minPosition: ${Number(value)}`,
  });
  const last = options.length > 0 ? `, { ${options.join(', ')} }` : '';
  return [
    "import { createClient } from '@chainfold/client';",
    '',
    'const { CHAINFOLD_API_KEY: key = "", CHAINFOLD_API_SECRET: secret = "" } = process.env;',
    `const client = createClient({ url: ${JSON.stringify(origin)}, key, secret });`,
    `console.log(await client.${api}.${camel(name)}(${compact(body)}${last}));`,
  ].join('\n');
};

const pythonOf = (value: unknown): string => {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(pythonOf).join(', ')}]`;
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([name, one]) => `${JSON.stringify(name)}: ${pythonOf(one)}`)
      .join(', ')}}`;
  return JSON.stringify(value);
};
const python = ({ operation: { api, name }, body, headers, origin }: Call) => {
  const options = optionsOf(headers, {
    'idempotency-key': (value) => `idempotency_key=${JSON.stringify(value)}`,
    'x-as-of': (value) => `as_of=${JSON.stringify(value)}`,
    'x-min-position': (value) => `min_position=${Number(value)}`,
  });
  const fields = Object.entries(parsed(body)).map(([field, value]) => `${JSON.stringify(field)}: ${pythonOf(value)}`);
  const last = options.length > 0 ? `, CallOptions(${options.join(', ')})` : '';
  return [
    'import os',
    `from chainfold import ${last ? 'CallOptions, ' : ''}Client`,
    '',
    `client = Client(${JSON.stringify(origin)}, os.environ["CHAINFOLD_API_KEY"], os.environ["CHAINFOLD_API_SECRET"])`,
    `print(client.call("${api}", "${name}", {${fields.join(', ')}}${last}))`,
    `# or with types: client.${api}.${snake(name)}(…)`,
  ].join('\n');
};

const goOf = (value: unknown): string => {
  if (value === null) return 'nil';
  if (Array.isArray(value)) return `[]any{${value.map(goOf).join(', ')}}`;
  if (typeof value === 'object')
    return `map[string]any{${Object.entries(value)
      .map(([name, one]) => `${JSON.stringify(name)}: ${goOf(one)}`)
      .join(', ')}}`;
  return JSON.stringify(value);
};
const go = ({ operation: { api, name }, body, headers, origin }: Call) => {
  const options = optionsOf(headers, {
    'idempotency-key': (value) => `, chainfold.WithIdempotencyKey(${JSON.stringify(value)})`,
    'x-as-of': (value) => `, chainfold.AsOf(${JSON.stringify(value)})`,
    'x-min-position': (value) => `, chainfold.WithMinPosition(${Number(value)})`,
  });
  return [
    `client := chainfold.New(chainfold.Options{URL: ${JSON.stringify(origin)}, Key: os.Getenv("CHAINFOLD_API_KEY"), Secret: os.Getenv("CHAINFOLD_API_SECRET")})`,
    `answer, err := client.Call(ctx, "${api}", "${name}", ${goOf(parsed(body))}${options.join('')})`,
  ].join('\n');
};

/** Functions that write a call as code, keyed by language. */
export const languages: Readonly<Record<string, (call: Call) => string>> = {
  'Command line': commandLine,
  curl,
  TypeScript: typescript,
  Python: python,
  Go: go,
};
