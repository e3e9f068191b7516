import assert from 'node:assert/strict';
import { createTokenDescriber } from '../../../application/assets/describe-tokens.js';
import { createHandle } from '../../../application/commands/handle.js';
import type { Chain } from '../../../application/ports/chain.js';
import { eventually, until } from '../../support/eventually.js';
import { allEvents, contextOf, openStores } from '../../support/following/following.js';
import { testSystem } from '../../support/silent.js';

const variant = contextOf('').variant;
const contract = `0x${'c'.repeat(40)}`;

/** Uses token URIs that end with the token's id. Reads of documents hang until a test resolves them in `answers`. */
describe('the token describer', () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  let stop: AbortController;
  let running: Promise<void>;
  let begun: string[];
  let answers: Map<string, (text: string | null) => void>;
  let now: number;
  let asked: number;
  let observed = 0;

  beforeEach(async () => {
    stores = await openStores();
    [begun, answers, stop, now, asked] = [[], new Map(), new AbortController(), Date.now(), 0];
    start();
  });
  afterEach(async () => {
    await end();
    await stores.close();
  });
  const start = () => {
    stop = new AbortController();
    const tokenUri: Chain['tokenUri'] = async (asset) => {
      asked++;
      return `https://host.example/${'tokenId' in asset ? asset.tokenId : ''}`;
    };
    const documents = {
      read: (url: string) => {
        const id = url.split('/').at(-1) ?? '';
        begun.push(id);
        return new Promise<string | null>((resolve) => answers.set(id, resolve));
      },
    };
    const system = { ...testSystem, now: () => now };
    const describe: Chain['describe'] = async ({ contract: uri }, read) => {
      asked++;
      const symbol = await read(uri);
      return { uri, description: symbol === null ? { name: 'half' } : { name: 'whole', symbol, decimals: 6 } };
    };
    const chains = new Map([[variant.tag, { chain: { tokenUri, describe } as Chain, isNew: true }]]);
    const describer = createTokenDescriber({
      ...stores,
      chains,
      documents,
      system,
      handle: createHandle(stores.events, testSystem),
    });
    running = describer(stop.signal);
  };
  const end = async () => {
    stop.abort();
    let isOver = false;
    void running.finally(() => {
      isOver = true;
    });
    await until('the describer has ended', () => {
      for (const answer of answers.values()) answer(null);
      return isOver;
    });
  };

  const observe = async (organizationId: string, tokenIds: readonly string[]) => {
    const context = contextOf(organizationId);
    const asset = (tokenId: string) => ({ standard: 'ERC-721', contract, tokenId });
    await createHandle(stores.events, testSystem)(context, [
      {
        stream: `${organizationId}.ledger-${observed++}` as never,
        decide: () => tokenIds.map((id) => ({ type: 'TransferObserved', data: { transfer: { asset: asset(id) } } })),
      } as never,
    ]);
  };
  const importToken = async (organizationId: string, id: string) => {
    const data = { asset: { standard: 'token', contract: `https://host.example/${id}` } };
    await createHandle(stores.events, testSystem)(contextOf(organizationId), [
      { stream: `${organizationId}.ledger-${observed++}`, decide: () => [{ type: 'AssetImported', data }] } as never,
    ]);
  };
  const ids = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix}${n}`);
  const described = async () =>
    (await allEvents(stores.events))
      .filter(({ type }) => type === 'TokenDescribed')
      .map(({ data }) => data as { tokenId: string; text: string });
  const [greedy, modest] = [`org_${'a'.repeat(32)}`, `org_${'b'.repeat(32)}`];

  it('reads a description for one organization while 80 reads for another hang', async () => {
    await observe(greedy, ids('a', 80));
    await eventually(async () => assert.ok(begun.length >= 2));
    await observe(modest, ['b0']);
    await eventually(async () => assert.ok(begun.includes('b0')));
    assert.equal(begun.filter((id) => id.startsWith('a')).length, 2);
    answers.get('b0')?.('{"name":"b"}');
    await eventually(async () =>
      assert.deepEqual(await described(), [
        { contract, tokenId: 'b0', uri: 'https://host.example/b0', text: '{"name":"b"}' },
      ]),
    );
  });

  it('describes the remaining tokens after a restart', async () => {
    await observe(greedy, ids('a', 3));
    await eventually(async () => assert.equal(begun.length, 2));
    await observe(modest, ['b0']);
    await eventually(async () => assert.ok(answers.has('b0')));
    await end();
    begun.length = 0;
    start();
    await eventually(async () => assert.ok(begun.includes('a2') || begun.includes('a1')));
  });

  it('avoids a host for a minute after three reads for an organization timed out, and only for that organization', async () => {
    await observe(greedy, ids('a', 6));
    // Two reads are in flight at any time, and the fourth starts before the third has timed out.
    for (const n of [0, 1, 2]) {
      await eventually(async () => assert.ok(begun.includes(`a${n + 1}`)));
      now += 5000;
      answers.get(`a${n}`)?.(null);
    }
    now += 5000;
    answers.get('a3')?.(null);
    await eventually(async () => assert.equal((await described()).length, 6));
    assert.deepEqual(begun, ids('a', 4));
    await observe(modest, ['b0']);
    await eventually(async () => assert.ok(begun.includes('b0')));
    now += 61_000;
    await observe(greedy, ['a9']);
    await eventually(async () => assert.ok(begun.includes('a9')));
  });

  it('retries a token without a description only after ten minutes', async () => {
    await observe(greedy, ['a0']);
    await eventually(async () => assert.ok(answers.has('a0')));
    answers.get('a0')?.(null);
    await eventually(async () => assert.equal((await described()).length, 1));
    for (let n = 0; n < 10; n++) await observe(greedy, ['a0']);
    await observe(modest, ['b0']);
    await eventually(async () => assert.ok(begun.includes('b0')));
    assert.deepEqual([begun, asked], [['a0', 'b0'], 2]);
    now += 600_001;
    await observe(greedy, ['a0']);
    await eventually(async () => assert.equal(asked, 3));
  });

  it('describes a token without an id once it is imported, and again later if a part was missing', async () => {
    const [contractOfC, half] = ['https://host.example/c', { name: 'half' }];
    const describedC = { contract: contractOfC, tokenId: '', uri: contractOfC, text: '' };
    await importToken(modest, 'c');
    await eventually(async () => assert.ok(answers.has('c')));
    answers.get('c')?.(null);
    await eventually(async () => assert.deepEqual(await described(), [{ ...describedC, description: half }]));
    await importToken(greedy, 'd');
    await eventually(async () => assert.ok(answers.has('d')));
    answers.get('d')?.('D');
    await eventually(async () => assert.equal((await described()).length, 2));
    answers.delete('c');
    now += 600_001;
    await importToken(modest, 'c');
    await eventually(async () => assert.ok(answers.has('c')));
    answers.get('c')?.('C');
    const whole = { name: 'whole', symbol: 'C', decimals: 6 };
    await eventually(async () => assert.deepEqual((await described())[2], { ...describedC, description: whole }));
    const before = asked;
    now += 600_001;
    await importToken(modest, 'c');
    await importToken(modest, 'e');
    await eventually(async () => assert.ok(answers.has('e')));
    assert.equal(asked, before + 1);
  });
});
