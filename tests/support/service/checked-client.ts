import assert from 'node:assert/strict';
import { writeExact } from '../../../interfaces/exact-json.js';
import { createAjv } from '../../../interfaces/http/validation.js';
import { endpoints } from '../../../interfaces/operations/index.js';
import type { Client } from './client.js';

const ajv = createAjv();
type Call = (request: object, headers?: Record<string, string>) => Promise<object>;

/** Wraps a client so that every answer is checked against the published schema of its operation. */
export const checkedClient = (client: Client): Client => {
  const checked = Object.fromEntries(Object.entries(client).map(([segment, calls]) => [segment, { ...calls }]));
  for (const { path, variant, operation, response } of endpoints) {
    // An answer in lines (NDJSON) is a stream, which only the caller may read.
    if ('answers' in operation) continue;
    const name = `${operation.name.charAt(0).toLowerCase()}${operation.name.slice(1)}`;
    const calls = checked[variant.segment] as Record<string, Call>;
    const call = calls[name] as Call;
    calls[name] = async (request, headers) => {
      const answer = await call(request, headers);
      assert.ok(ajv.validate(response, JSON.parse(writeExact(answer))), `${path}: ${ajv.errorsText()}`);
      return answer;
    };
  }
  return checked as unknown as Client;
};
