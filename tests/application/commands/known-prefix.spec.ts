import assert from 'node:assert/strict';
import { createPrefixMemory } from '../../../application/commands/known-prefix.js';

const eventsOf = (count: number) => Array.from({ length: count }, (_, n) => ({ n }));

describe('the memory of a prefix', () => {
  const long = eventsOf(300);

  it('knows the first events of a stream that has grown', () => {
    const memory = createPrefixMemory<string>();
    memory.remember(long, 'seen');
    const { count, value } = memory.find([...long, { n: 300 }]) ?? {};
    assert.deepEqual([count, value], [300, 'seen']);
  });

  it('keeps the newest value of a stream', () => {
    const memory = createPrefixMemory<string>();
    const more = [...long, { n: 300 }];
    memory.remember(long, 'earlier');
    memory.remember(more, 'later');
    assert.deepEqual([memory.find(more)?.count, memory.find(more)?.value], [301, 'later']);
  });

  it('knows nothing of a stream whose events are missing, inserted or read again as other objects', () => {
    const memory = createPrefixMemory<string>();
    memory.remember(long, 'seen');
    for (const events of [long.slice(0, -1), [...long.slice(0, 10), { n: -1 }, ...long.slice(10)], eventsOf(300), []])
      assert.equal(memory.find(events), null);
  });

  it('remembers nothing about short streams', () => {
    const memory = createPrefixMemory<string>();
    const short = eventsOf(249);
    memory.remember(short, 'seen');
    assert.equal(memory.find(short), null);
  });
});
