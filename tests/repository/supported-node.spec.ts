import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const read = (file: string) => readFileSync(file, 'utf8');
const numbers = (text: string | undefined) => text?.match(/\d+/g)?.map(Number);

describe('the supported versions of Node', () => {
  const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
  const versions = [...engines.node.matchAll(/\^(\d+)\.(\d+)/g)].map(([, major, minor]) => ({
    major: Number(major),
    minor: Number(minor),
  }));
  const majors = versions.map(({ major }) => major);
  /** Major versions that Node itself supports; 20 still works, but is no longer supported. */
  const supported = majors.filter((major) => major > 20);

  it('are 20, 22, 24 and 26', () => assert.deepEqual(majors, [20, 22, 24, 26]));

  it('are the same in the README, in CONTRIBUTING and in CI', () => {
    const named = ({ major, minor }: { major: number; minor: number }) =>
      minor === 0 ? `${major}` : `${major} (${major}.${minor} or later)`;
    const wanted = versions.filter(({ major }) => supported.includes(major)).map(named);
    const old =
      versions.find(({ major }) => !supported.includes(major)) ?? assert.fail('package.json no longer allows Node 20');
    const [readme, contributing] = [read('README.md'), read('CONTRIBUTING.md')];
    const listed = new Intl.ListFormat('en', { type: 'disjunction' }).format(wanted);
    assert.equal(/needs Node (.+?), and nothing else\./.exec(readme)?.[1], listed);
    assert.equal(/\*\*Node\*\* (.+?)\. Node/.exec(contributing)?.[1], listed);
    for (const page of [readme, contributing])
      assert.equal(/Node (\S+) or later still works/.exec(page)?.[1], `${old.major}.${old.minor}`);
    assert.deepEqual(numbers(/for version in (.+);/.exec(read('.ci/run'))?.[1]), supported);
  });

  it('include the one in the Docker image, which is the newest', () => {
    const images = [...read('Dockerfile').matchAll(/^FROM node:(\d+)/gm)].map(([, major]) => Number(major));
    assert.deepEqual(new Set(images), new Set([supported.at(-1)]));
  });
});
