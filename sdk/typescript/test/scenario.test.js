import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import * as esm from '@chainfold/client';

const { CHAINFOLD_URL: url, CHAINFOLD_API_KEY: key, CHAINFOLD_API_SECRET: secret } = process.env;
const { CHAINFOLD_SCENARIO: scenario, CHAINFOLD_TRANSCRIPT: transcript } = process.env;

const byText = (a, b) => a.localeCompare(b);
const camel = (name) => `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
const filled = (value, saved) => {
  if (typeof value === 'string') return value.startsWith('$') ? saved[value.slice(1)] : value;
  if (Array.isArray(value)) return value.map((item) => filled(item, saved));
  if (typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, filled(member, saved)]));
};

const describe = (error) => {
  if (!(error instanceof esm.ProblemError)) throw error;
  const { code, problem } = error;
  return { code, status: problem.status, retryable: problem.retryable, paths: problem.errors.map(({ path }) => path) };
};

const methodOf = (client, name, isIterator) => {
  const [api, operation] = name.split('.');
  const method = isIterator ? operation.replace(/^List/, 'each').replace(/(?:(?<=ss)e)?s$/, '') : camel(operation);
  return client[api][method];
};

const verify = async ({ body, headers, secrets = [], public_keys = [], now }) => {
  const options = { secret: secrets, publicKey: public_keys, now: now * 1000 };
  try {
    return (await esm.verifyWebhook(body, headers, options)).webhook_history_id;
  } catch (error) {
    assert.ok(error instanceof esm.WebhookVerificationError, String(error));
    return null;
  }
};

const run = async (client, step, saved) => {
  if (step.verify) return { verified: await verify(step.verify) };
  const options = step.idempotency_key ? { idempotencyKey: step.idempotency_key } : {};
  const request = filled(step.request, saved);
  try {
    if (step.each) {
      const items = [];
      for await (const item of methodOf(client, step.each, true)(request, options)) items.push(item);
      return { items };
    }
    return { answer: await methodOf(client, step.call, false)(request, options) };
  } catch (error) {
    return { error: describe(error) };
  }
};

const check = (step, result) => {
  assert.equal(result.error?.code, step.error);
  if (step.count !== undefined) assert.equal(result.items.length, step.count);
  if (step.verify) assert.equal(result.verified !== null, step.verify.valid);
};

test('the scenario', { skip: url ? false : 'CHAINFOLD_URL is not set' }, async (context) => {
  const client = esm.createClient({ url, key, secret });
  const { steps } = JSON.parse(readFileSync(scenario, 'utf8'));
  const saved = {};
  const results = [];
  for (const step of steps)
    await context.test(step.name, async () => {
      const result = await run(client, step, saved);
      for (const [name, field] of Object.entries(step.save ?? {})) saved[name] = result.answer[field];
      check(step, result);
      results.push(step.own ? { fields: Object.keys(result.answer).sort(byText) } : result);
    });
  writeFileSync(transcript, JSON.stringify(results));
});

test('the package can be required', () => {
  const cjs = createRequire(import.meta.url)('@chainfold/client');
  for (const name of ['createClient', 'verifyWebhook', 'ProblemError']) assert.equal(typeof cjs[name], 'function');
});
