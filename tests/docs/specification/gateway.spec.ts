import assert from 'node:assert/strict';
import { developmentMethods, extraMethods, type Method, methods } from '../../../application/gateway/methods.js';
import { callFields, filter, subscriptionNames } from '../../../application/gateway/params.js';
import { matches, readFilter } from '../../../domain/log-filter.js';
import { blockTags } from '../../../domain/rpc-value.js';
import { networks } from '../../../domain/variant.js';
import { rpcCodes } from '../../../interfaces/gateway/json-rpc.js';
import { readPage } from '../../support/docs/markdown.js';

const sections = readPage('docs/specification.md');
const plain = (cell: string | undefined) => (cell ?? '').replaceAll('`', '');
const rowsAt = (anchor: string, first: string) => {
  const section = sections.find((one) => one.anchor === anchor) ?? assert.fail(`no section #${anchor}`);
  return section.tables.find(({ columns }) => columns[0] === first)?.rows ?? assert.fail(`no table at #${anchor}`);
};
const columnAt = (anchor: string, first: string) => rowsAt(anchor, first).map((row) => plain(row[first]));

const documented = (anchor: string) =>
  rowsAt(anchor, 'method').map(({ method, params }) => `${plain(method)}: ${params}`);
const known = (some: readonly Method[]) =>
  some.map(({ name, params }) => {
    const list = params.map((param) => (param.required ? param.name : `${param.name}?`)).join(', ');
    return `${name}: ${list || 'none'}`;
  });

describe('the gateway section of docs/specification.md', () => {
  it('lists every method over HTTP, with its parameters', () => {
    const classic = methods.filter((method) => method.over === 'both' && !extraMethods.includes(method));
    assert.deepEqual(documented('91-methods-over-http-and-websocket'), known(classic));
  });

  it('lists every extra method', () => assert.deepEqual(documented('92-extras'), known(extraMethods)));

  it('lists every method that is available over WebSocket only', () =>
    assert.deepEqual(
      documented('93-methods-over-websocket-only'),
      known(methods.filter(({ over }) => over === 'socket')),
    ));

  it('lists every control method of the development chain', () =>
    assert.deepEqual(documented('98-controls-of-the-development-chain'), known(developmentMethods)));

  it('lists every network, tag and subscription', () => {
    assert.deepEqual(columnAt('9-node-gateway', 'network'), networks);
    assert.deepEqual(columnAt('94-objects-and-encodings', 'tag'), blockTags);
    assert.deepEqual(columnAt('96-subscriptions-and-filters', 'subscription'), subscriptionNames);
  });

  it('lists the members of calls and filters', () => {
    const { properties } = filter.schema as { properties: object };
    assert.deepEqual(columnAt('call', 'member'), Object.keys(callFields));
    assert.deepEqual(new Set(columnAt('filter', 'member')), new Set(Object.keys(properties)));
  });

  it('lists every error code', () => {
    const codes = columnAt('97-errors', 'code').map(Number);
    assert.deepEqual(codes.toSorted(), Object.values(rpcCodes).toSorted());
  });

  it('describes which topics a filter matches', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((letter) => `0x${letter.repeat(64)}`) as [string, string, string];
    const value = (text: string) => JSON.parse(text.replaceAll('A', `"${a}"`).replaceAll('B', `"${b}"`));
    const all = [[], [a], [b], [a, b], [b, a], [a, a], [b, b], [c, b], [a, c], [c, c], [a, b, c]];
    const meant: Readonly<Record<string, (first?: string, second?: string) => boolean>> = {
      anything: () => true,
      'A first, then anything': (first) => first === a,
      'anything first, B second, then anything': (_, second) => second === b,
      'A first and B second, then anything': (first, second) => first === a && second === b,
      'A or B first and A or B second, then anything': (first, second) =>
        [a, b].includes(first ?? '') && [a, b].includes(second ?? ''),
    };
    const rows = rowsAt('95-topics', 'topics');
    assert.equal(rows.length, Object.keys(meant).length);
    for (const { topics, matches: words = '' } of rows)
      for (const given of all) {
        const log = { address: `0x${'1'.repeat(40)}`, topics: given, blockNumber: '0x1', blockHash: a };
        const isMatched = matches(readFilter({ topics: value(plain(topics)) }), log);
        assert.equal(isMatched, meant[words]?.(...given), `${topics} and ${given.length} topics`);
      }
  });
});
