import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const reference = /`(tests\/[^`]+\.spec\.ts)`: \*([^*]+)\*/g;

/**
 * Checks that a text names tests, as `file`: *part of the title*, and that each named test exists. Returns the number
 * of named tests.
 */
export const checkNamedTests = (text: string, about: string): number => {
  const named = [...text.matchAll(reference)];
  assert.ok(named.length > 0, `no test is named: ${about}`);
  for (const [, file = '', title = ''] of named)
    assert.ok(readFileSync(file, 'utf8').includes(title), `${about}: ${file}: ${title}`);
  return named.length;
};
