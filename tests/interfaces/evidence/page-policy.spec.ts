import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const page = readFileSync('interfaces/cli/audit/evidence/verify.html', 'utf8');

describe('the policy of verify.html', () => {
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? '';
  const directives = new Map(policy.split('; ').map((one) => [one.split(' ')[0], one.split(' ').slice(1)] as const));
  /** Returns the policy's sources for the inline elements of a kind, computed from the page. */
  const sourcesOf = (element: 'script' | 'style') =>
    [...page.matchAll(new RegExp(`<${element}[^>]*>([\\s\\S]*?)</${element}>`, 'g'))].map(
      ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
    );

  it('allows the scripts and the style of the page by their hashes, and nothing else', () => {
    assert.equal(sourcesOf('script').length, 2);
    assert.equal(sourcesOf('style').length, 1);
    assert.deepEqual(
      Object.fromEntries(directives),
      Object.fromEntries([
        ['default-src', ["'none'"]],
        ['script-src', sourcesOf('script')],
        ['style-src', sourcesOf('style')],
        ['base-uri', ["'none'"]],
        ['form-action', ["'none'"]],
      ]),
    );
  });

  it('needs no exception for attributes', () => {
    assert.doesNotMatch(page, /<[^>]+ (style|on[a-z]+)=/);
  });
});
