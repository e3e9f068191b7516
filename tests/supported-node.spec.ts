import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const read = (file: string) => readFileSync(file, 'utf8');
const numbers = (text: string | undefined) => text?.match(/\d+/g)?.map(Number);

describe('supported Node versions', () => {
  const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
  const majors = [...engines.node.matchAll(/\^(\d+)/g)].map(([, major]) => Number(major));
  /** Version 20 still works, but is supported by nobody any more. */
  const supported = majors.filter((major) => major > 20);

  it('are 22 and 24, and 20 while it works', () => assert.deepEqual(majors, [20, 22, 24]));

  it('are the same in the README, in CONTRIBUTING and in CI', () => {
    assert.deepEqual(numbers(/Needs Node ([^(]+)/.exec(read('README.md'))?.[1]), supported);
    assert.deepEqual(numbers(/\*\*Node\*\* ([^.]+)\./.exec(read('CONTRIBUTING.md'))?.[1]), supported);
    assert.deepEqual(numbers(/for version in (.+);/.exec(read('.ci/run'))?.[1]), supported);
  });

  it('have the newest of them in the image', () => {
    const images = [...read('Dockerfile').matchAll(/^FROM node:(\d+)/gm)].map(([, major]) => Number(major));
    assert.deepEqual(new Set(images), new Set([supported.at(-1)]));
  });
});
