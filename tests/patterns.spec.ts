import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';

const rooms = ['domain', 'projections', 'application', 'infrastructure', 'interfaces'];
const sources = rooms.flatMap((room) =>
  readdirSync(room, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map(({ parentPath, name }) => `${parentPath}/${name}`),
);

type Pattern = { readonly where: string; readonly pattern: RegExp };

/** `/…/flags` in code, and `pattern: '…'` as schemas have it. */
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
/** Given 160 characters at most. */
const bounded = 'infrastructure/gateway-nodes/envelope.ts';
const patterns = sources.filter((file) => file !== bounded).flatMap(patternsIn);

const size = 100_000;
/** What patterns here are made of, over and over, and then something that fits nothing. */
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

/** Linear ones need less than a millisecond for so much; one that backtracks needs seconds. */
const mostMs = 500;

describe('regular expressions', function () {
  this.timeout(120_000);

  it('are found', () => assert.ok(patterns.length > 20, String(patterns.length)));

  it('take time in proportion to what they are given, whatever it is', () => {
    const slow = patterns.filter(({ pattern }) =>
      adversaries.some((text) => {
        const before = process.cpuUsage();
        pattern.test(text);
        return process.cpuUsage(before).user / 1000 > mostMs;
      }),
    );
    assert.deepEqual(
      slow.map(({ where }) => where),
      [],
    );
  });
});
