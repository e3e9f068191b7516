import assert from 'node:assert/strict';
import type { Ports } from '../../../application/composition/service-ports.js';
import type { Chain } from '../../../application/ports/chain.js';
import { chainsWith, nameOf, roles } from '../../../application/processes/service-process.js';
import { variants } from '../../../domain/variant.js';
import { composeApp, openStores } from '../../support/following/following.js';
import { fakeNode } from '../../support/gateway/json-rpc.js';

describe('the table of processes', () => {
  const wallets = variants.filter(({ surface }) => surface === 'wallet');
  const sendable = wallets.filter(({ can }) => can.includes('managed-transactions')).map(({ tag }) => tag);
  const chain = { sending: {} } as Chain;
  const everyChain: Partial<Ports> = {
    chains: new Map(wallets.map(({ tag }) => [tag, { chain, isNew: true }])),
    nodes: new Map([['q/mainnet', fakeNode().real]]),
  };
  let stores: Awaited<ReturnType<typeof openStores>>;
  before(async () => {
    stores = await openStores();
  });
  after(() => stores.close());
  const processesWith = (given: Partial<Ports>) => composeApp(stores, given).processes;

  it('has a process for every role, each under a unique title', () => {
    const processes = processesWith(everyChain);
    assert.deepEqual(new Set(processes.map(({ role }) => role)), new Set(roles));
    const titles = processes.map(nameOf);
    assert.deepEqual(titles, [...new Set(titles)]);
  });

  it('has a follower for every chain, and a transaction watcher for chains that send transactions', () => {
    const processes = processesWith(everyChain);
    assert.deepEqual(
      chainsWith(processes, 'follower'),
      wallets.map(({ tag }) => tag),
    );
    assert.notEqual(sendable.length, 0);
    assert.deepEqual(chainsWith(processes, 'transaction watcher'), sendable);
    assert.equal(chainsWith(processes, 'pending transaction watcher').length, 1);
  });

  it('has no transaction watcher for a chain that sends nothing', () => {
    const chains = new Map(wallets.map(({ tag }) => [tag, { chain: {} as Chain, isNew: true }]));
    assert.deepEqual(chainsWith(processesWith({ chains }), 'transaction watcher'), []);
  });

  it('has no process for a chain where no chain is configured', () => {
    assert.ok(processesWith({}).every((one) => one.chain === undefined));
  });

  it('names the chain in the title of a process for a chain', () => {
    const run = async () => undefined;
    assert.equal(nameOf({ role: 'follower', name: 'follower', chain: 'one', run }), 'follower of one');
    assert.equal(nameOf({ role: 'api', name: 'cache invalidation', run }), 'cache invalidation');
  });
});
