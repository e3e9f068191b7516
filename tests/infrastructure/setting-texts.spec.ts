import assert from 'node:assert/strict';
import { readConfig } from '../../infrastructure/config.js';

describe('the error message of an invalid setting', () => {
  it('says which of several URLs is invalid and which name is nearest, and never repeats the value', () => {
    const messageOf = (environment: Record<string, string>) => {
      try {
        readConfig(environment);
      } catch (error) {
        return (error as Error).message;
      }
      return assert.fail('was taken');
    };
    assert.match(messageOf({ CHAINFOLD_LOG_LEVEL: 'wran' }), /^CHAINFOLD_LOG_LEVEL must be .*\. Did you mean warn\?$/);
    const urls = messageOf({ CHAIN_C_URL: 'http://a.example,htp://user:s3cret@b.example' });
    assert.match(urls, /^CHAIN_C_URL must be "off" or node URLs .*; URL 2 of 2 is invalid$/);
    assert.ok(!urls.includes('s3cret'));
  });
});
