import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';

const rooms = ['domain', 'projections', 'application', 'infrastructure', 'interfaces', 'sdk'];
const sources = rooms.flatMap((room) =>
  readdirSync(room, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map(({ parentPath, name }) => `${parentPath}/${name}`),
);

type Pattern = { readonly where: string; readonly pattern: RegExp };

/** Reads a regular expression of code, or the `pattern` of a schema. */
const patternIn = (node: ts.Node): RegExp | null => {
  if (ts.isRegularExpressionLiteral(node)) {
    const end = node.text.lastIndexOf('/');
    return new RegExp(node.text.slice(1, end), node.text.slice(end + 1).replace('g', ''));
  }
  if (!ts.isPropertyAssignment(node) || node.name.getText() !== 'pattern') return null;
  return ts.isStringLiteralLike(node.initializer) ? new RegExp(node.initializer.text, 'u') : null;
};
const patternsIn = (file: string): Pattern[] => {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const found: Pattern[] = [];
  const visit = (node: ts.Node) => {
    const pattern = patternIn(node);
    if (pattern) found.push({ where: `${file}: ${pattern.source}`, pattern });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
};
/** Exempt file: its regular expressions are applied to at most 160 characters. */
const bounded = 'infrastructure/nodes/json-rpc/envelope.ts';
const patterns = sources.filter((file) => file !== bounded).flatMap(patternsIn);

const size = 100_000;
/** Fragments of the patterns; they are repeated and end with a character that matches none. */
const repeated = [
  'a',
  'A',
  '0',
  '9',
  '-',
  'a-',
  '0x',
  'f',
  '/',
  ' ',
  '\t',
  '.',
  ':',
  'a.',
  '=',
  ',',
  '"',
  '\\',
  '\\u0061',
  '%',
  '(',
  '{',
  '_',
  'é',
];
const prefixes = ['', '0x'];
const adversaries = repeated.flatMap((one) =>
  prefixes.map((prefix) => `${prefix}${one.repeat(size / one.length)}\n\u0000`),
);

/**
 * CPU time in milliseconds above which a pattern counts as slow. A linear pattern takes less than a millisecond; a
 * pattern that backtracks takes seconds.
 */
const maxMs = 500;

/**
 * Measures the CPU time of one test in milliseconds. It includes garbage collection, so one measurement is not
 * conclusive.
 */
const costMs = (pattern: RegExp, text: string) => {
  const before = process.cpuUsage();
  pattern.test(text);
  return process.cpuUsage(before).user / 1000;
};

/**
 * Distinguishes a pattern that backtracks, which is slow every time, from one that shared the CPU with other threads.
 * Suspension of the process makes no difference, because it takes no CPU time.
 */
const isSlow = (pattern: RegExp, text: string) => [1, 2, 3, 4, 5].every(() => costMs(pattern, text) > maxMs);

describe('the regular expressions of the code', () => {
  it('are found by the search of this spec', () => assert.ok(patterns.length > 20, String(patterns.length)));

  it('run in linear time on every input', () => {
    const slow = patterns.filter(({ pattern }) => adversaries.some((text) => isSlow(pattern, text)));
    assert.deepEqual(
      slow.map(({ where }) => where),
      [],
    );
  });
});
