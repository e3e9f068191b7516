import { type Variant, variants } from '../../domain/variant.js';
import * as exampleIds from '../operations/examples/ids.js';
import { type Endpoint, endpoints } from '../operations/index.js';
import { generatedNotice } from './notice.js';

/** Returns a block of Bruno's text format: its name, and lines indented between its brackets. */
const block = (name: string, lines: string, [open, close] = ['{', '}']) =>
  `${name} ${open}\n${lines.replaceAll(/^(?=.)/gm, '  ')}\n${close}\n`;
const fieldsOf = (values: Readonly<Record<string, string | number>>) =>
  Object.entries(values)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

const ids: ReadonlySet<unknown> = new Set(Object.values(exampleIds));
/** Ids in the example requests, by their fields. The collection has a variable for each. */
const variables: Readonly<Record<string, string>> = Object.fromEntries(
  endpoints.flatMap(({ example }) => Object.entries(example).filter(([, value]) => ids.has(value))),
);

const bodyOf = ({ example }: Endpoint) => {
  const fields = Object.entries(example).map(([name, value]) => [name, ids.has(value) ? `{{${name}}}` : value]);
  return JSON.stringify(Object.fromEntries(fields), null, 2);
};

const requestText = (endpoint: Endpoint, place: number) =>
  [
    block('meta', fieldsOf({ name: endpoint.operation.name, type: 'http', seq: place })),
    block('post', fieldsOf({ url: `{{url}}${endpoint.path}`, body: 'json', auth: 'none' })),
    block('body:json', bodyOf(endpoint)),
    block('docs', endpoint.operation.summary),
  ].join('\n');

const folderText = ({ segment }: Variant, place: number) => block('meta', fieldsOf({ name: segment, seq: place }));

/** Script in Bruno's safe sandbox. It signs as docs/security.md describes. */
const signing = `const CryptoJS = require('crypto-js');

const key = bru.getEnvVar('key') || bru.getProcessEnv('CHAINFOLD_API_KEY');
const secret = bru.getEnvVar('secret') || bru.getProcessEnv('CHAINFOLD_API_SECRET');
if (!key || !secret) throw new Error('Set key and secret in the environment of the collection.');

// Replaces the variables first, because the signature covers the bytes that are sent.
const body = bru.interpolate(req.getBody({ raw: true })).trim();
req.setBody(body, { raw: true });
const url = bru.interpolate(req.getUrl());
const path = url.slice(url.indexOf('/', url.indexOf('//') + 2));

const nonce = Date.now() + '-' + CryptoJS.lib.WordArray.random(16);
const text = [nonce, req.getMethod(), path, CryptoJS.SHA256(body)].join('\\n');
req.setHeader('x-api-key', key);
req.setHeader('x-api-nonce', nonce);
req.setHeader('x-api-signature', String(CryptoJS.HmacSHA256(text, secret)));`;

/** Script that keeps the ids in an answer, so that the next request is about what the last one made. */
const keeping = `const answer = res.getStatus() === 200 ? res.getBody() : null;
const parts = answer && typeof answer === 'object' ? [answer, ...Object.values(answer)] : [];
for (const part of parts)
  for (const name of ${JSON.stringify(Object.keys(variables)).replaceAll('"', "'").replaceAll(',', ', ')})
    if (part && typeof part[name] === 'string' && part[name]) bru.setVar(name, part[name]);`;

const collectionText = [
  block('vars:pre-request', fieldsOf(variables)),
  block('script:pre-request', signing),
  block('script:post-response', keeping),
  block('docs', generatedNotice),
].join('\n');

const environmentText = [
  block('vars', fieldsOf({ url: 'http://127.0.0.1:8080', key: '' }).trimEnd()),
  block('vars:secret', 'secret', ['[', ']']),
].join('');

const manifest = { version: '1', name: 'chainfold', type: 'collection', ignore: ['node_modules', '.git'] };

/** Returns the files of the collection for Bruno: a folder for each API, with a request for each operation. */
export const brunoFiles = (): Readonly<Record<string, string>> =>
  Object.fromEntries([
    ['bruno.json', `${JSON.stringify(manifest, null, 2).replace(/\[\s*(.*),\s*(.*)\s*\]/, '[$1, $2]')}\n`],
    ['collection.bru', collectionText],
    ['environments/local.bru', environmentText],
    ...variants.flatMap((variant, place) => [
      [`${variant.segment}/folder.bru`, folderText(variant, place + 1)],
      ...endpoints
        .filter((endpoint) => endpoint.variant === variant)
        .map((endpoint, index) => [
          `${variant.segment}/${endpoint.operation.name}.bru`,
          requestText(endpoint, index + 1),
        ]),
    ]),
  ]);
