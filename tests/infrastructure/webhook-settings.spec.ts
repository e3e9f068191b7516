import assert from 'node:assert/strict';
import { readConfig } from '../../infrastructure/config.js';

describe('the webhook settings', () => {
  it('are read from the environment', () => {
    const given = {
      CHAINFOLD_WEBHOOK_CHALLENGE: 'on',
      CHAINFOLD_WEBHOOK_CONCURRENCY: '32',
      CHAINFOLD_WEBHOOK_SHARED_KEY: 'off',
    };
    const { challengeEndpoints, webhookConcurrency, sharedWebhookKey } = readConfig(given);
    assert.deepEqual([challengeEndpoints, webhookConcurrency, sharedWebhookKey], [true, 32, false]);
  });
  for (const [name, value] of [
    ['CHAINFOLD_WEBHOOK_CHALLENGE', 'true'],
    ['CHAINFOLD_WEBHOOK_CONCURRENCY', '0'],
    ['CHAINFOLD_WEBHOOK_SHARED_KEY', 'false'],
  ] as const)
    it(`reject ${value} for ${name}`, () => assert.throws(() => readConfig({ [name]: value }), { name: 'BadSetting' }));
});
