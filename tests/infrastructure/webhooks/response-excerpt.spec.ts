import assert from 'node:assert/strict';
import { createExcerpt } from '../../../infrastructure/webhooks/response-excerpt.js';

const signature = 'v1a,c2lnbmF0dXJlLW9uZQ== v1,c2lnbmF0dXJlLXR3bw==';
const token = 'Bearer s3cr3t-t0k3n';
const sent = { headers: [['authorization', token]], signature } as const;

const excerptOf = (body: string, request: Parameters<ReturnType<typeof createExcerpt>['text']>[0] = sent) => {
  const excerpt = createExcerpt();
  for (let at = 0; at < body.length; at += 100) excerpt.take(Buffer.from(body.slice(at, at + 100)));
  return excerpt.text(request);
};

describe('the excerpt of a response', () => {
  it('is the first kibibyte of the body', () => {
    assert.equal(excerptOf('noted'), 'noted');
    assert.equal(excerptOf('a'.repeat(5000)), 'a'.repeat(1024));
  });
  it('never ends within a character', () => assert.equal(excerptOf(`a${'é'.repeat(1000)}`), `a${'é'.repeat(511)}`));
  it('contains no NUL, which stores reject', () => assert.equal(excerptOf('a\0b'), 'ab'));

  const echoes: Readonly<Record<string, string>> = {
    'a header value': `authorization: ${token}`,
    'a header value without its scheme': 'token=s3cr3t-t0k3n',
    'the signature header': `webhook-signature: ${signature}`,
    'one signature': 'got c2lnbmF0dXJlLXR3bw==',
    'a webhook secret': 'expected whsec_ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs= to match',
  };
  const secrets = ['s3cr3t-t0k3n', 'c2lnbmF0dXJl', 'ypeBEsobvcr6wjGz'];
  for (const [name, body] of Object.entries(echoes))
    it(`masks ${name} that the receiver repeats`, () => {
      const shown = excerptOf(body);
      assert.match(shown, /\*{8}/);
      for (const secret of secrets) assert.ok(!shown.includes(secret), shown);
    });
  it('masks a value that JSON escapes', () => {
    const request = { headers: [['x-key', 'a"quoted\\ \u00e9 secret']], signature } as const;
    const plain = JSON.stringify({ key: 'a"quoted\\ \u00e9 secret' });
    for (const body of [plain, plain.replace('é', '\\u00e9')])
      assert.doesNotMatch(excerptOf(body, request), /quoted|secret/);
  });
  it('masks a value that the limit cuts in two', () => {
    const long = { headers: [['x-key', 'k'.repeat(1000)]], signature } as const;
    assert.equal(excerptOf(`${'a'.repeat(1000)}${'k'.repeat(1000)}`, long), `${'a'.repeat(1000)}${'*'.repeat(24)}`);
  });
  it('keeps words that a short header value contains', () => {
    const request = { headers: [['x-environment', 'staging']], signature } as const;
    assert.equal(excerptOf('staging is down', request), 'staging is down');
  });
  it('stops the reading of a long body', () => {
    const excerpt = createExcerpt();
    assert.equal(excerpt.take(Buffer.alloc(16_384)), true);
    assert.equal(excerpt.take(Buffer.alloc(1)), false);
  });
});
