import assert from 'node:assert/strict';
import { once } from 'node:events';
import { inspect } from 'node:util';
import {
  Contract,
  type ContractEventPayload,
  HDNodeWallet,
  JsonRpcProvider,
  type Provider,
  WebSocketProvider,
} from 'ethers';
import { createPublicClient, createWalletClient, http, type PublicClient, parseAbiItem, webSocket } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { Web3 } from 'web3';
import { type DevelopmentChain, startDevelopmentEvm } from '../../../infrastructure/chains/development/evm/chain.js';
import { readPage } from '../../support/docs/markdown.js';
import { engines } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { gatewayUrl, post, socketUrl } from '../../support/gateway/gateway.js';
import { skip } from '../../support/run/skip.js';
import { clientOf, type Service, startService } from '../../support/service/service.js';
import { silent } from '../../support/silent.js';

const phrase = 'test test test test test test test test test test test junk';
const someone = '0x00000000000000000000000000000000000000aa';
const transferEvent = 'event Transfer(address indexed from, address indexed to, uint256 value)';
type Deployed = { contract_address: string };

const sections = readPage('docs/specification.md');
const coded = (cell = '') => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
const rowsAt = (title: string, column: string) =>
  sections.find((section) => section.title === title)?.tables.find(({ columns }) => columns[0] === column)?.rows ??
  assert.fail(`docs/specification.md has no table "${column}" at ${title}`);
/** Reads which members an object of the gateway has, and which further members forks and newer nodes add. */
const gatewayMembers = (object: string) => ({
  listed: rowsAt(`${object} of the gateway`, 'member').flatMap(({ member }) => coded(member)),
  added: rowsAt('9.4 Objects and encodings', 'object')
    .filter((row) => row.object?.startsWith(`[${object}]`))
    .flatMap((row) => coded(row['added members'])),
});

describe('the gateway', () => {
  let chain: DevelopmentChain;
  let service: Service;
  let token: string;
  const closing: (() => unknown)[] = [];

  before(async function () {
    const started = await startDevelopmentEvm({ blockMs: 0, log: silent });
    if (!started) return skip(this, 'the development chain (EDR is not there for this machine)');
    chain = started;
    closing.push(() => chain.close());
    const [engine] = engines;
    assert(engine);
    service = await startService({ on: engine, env: { GATEWAY_C_MAINNET_URLS: `${chain.wsUrl},${chain.url}` } });
    closing.push(() => service.stop());
    token = (await control<Deployed>('dev_deployToken', { type: 'ERC20' })).contract_address;
  });
  after(async () => {
    for (const close of closing.toReversed()) await close();
  });
  const control = async <T>(method: string, ...params: unknown[]) => (await chain.request(method, params)) as T;
  const height = async () => Number(await control<string>('eth_blockNumber'));
  const mint = (value: number) =>
    control<{ transaction_hash: string }>('dev_transfer', { variant: 'c', to: someone, value: String(value), token });

  const transports: Readonly<Record<string, () => Provider & { destroy(): unknown }>> = {
    HTTP: () => new JsonRpcProvider(gatewayUrl(service), undefined, { cacheTimeout: -1, pollingInterval: 50 }),
    WebSocket: () => new WebSocketProvider(socketUrl(service), undefined, { cacheTimeout: -1 }),
  };
  for (const [name, connect] of Object.entries(transports))
    describe(`given ethers over ${name}`, () => {
      let provider: ReturnType<typeof connect>;
      before(() => {
        provider = connect();
        closing.push(() => provider.destroy());
      });

      it('answers its reads', async () => {
        assert.equal((await provider.getNetwork()).chainId, 31337n);
        const number = await eventually(async () => {
          const answered = await provider.getBlockNumber();
          assert.equal(answered, await height());
          return answered;
        });
        const [block, fee, code, missing] = await Promise.all([
          provider.getBlock(number, true),
          provider.getFeeData(),
          provider.getCode(token),
          provider.getTransactionReceipt(`0x${'0'.repeat(64)}`),
        ]);
        assert.equal(block?.number, number);
        assert(fee.gasPrice && fee.maxPriorityFeePerGas !== null && code.length > 2);
        assert.equal(missing, null);
      });
      it('accepts its transaction, and shows the receipt and the new balance', async () => {
        const wallet = HDNodeWallet.fromPhrase(phrase, '', "m/44'/60'/0'/0").deriveChild(1).connect(provider);
        const before = await provider.getBalance(someone);
        const sent = await wallet.sendTransaction({ to: someone, value: 5n });
        const receipt = await sent.wait();
        assert.equal(receipt?.hash, sent.hash);
        assert.equal(await provider.getBalance(someone), before + 5n);
      });
      it('notifies it of blocks and events of a contract, and finds the same events again', async () => {
        const contract = new Contract(token, [transferEvent], provider);
        const blocks: number[] = [];
        const received: string[] = [];
        await provider.on('block', (number: number) => blocks.push(number));
        await contract.on('Transfer', (_from, _to, value: bigint, { log }: ContractEventPayload) =>
          received.push(`${log.transactionHash} ${value}`),
        );
        // The first poll over HTTP only sets the block from which ethers starts.
        await eventually(async () => {
          await mint(7);
          assert(received.length > 0 && received.every((one) => one.endsWith(' 7')));
        });
        await eventually(async () => assert.equal(blocks.at(-1), await height()));
        assert.deepEqual(
          blocks,
          [...new Set(blocks)].toSorted((a, b) => a - b),
        );
        await provider.removeAllListeners();
        const found = await contract.queryFilter('Transfer', 0, 'latest');
        const there = new Set(found.map(({ transactionHash }) => `${transactionHash} 7`));
        assert(received.every((one) => there.has(one)));
        // Polling every 50 ms, ethers itself sometimes asks for the same blocks twice.
        if (name === 'WebSocket') assert.equal(new Set(received).size, received.length);
      });
      it('explains a reverted call with the revert data of the node', async () => {
        const contract = new Contract(token, ['function transfer(address,uint256) returns (bool)'], provider);
        await assert.rejects(contract.getFunction('transfer').staticCall(someone, 1), { code: 'CALL_EXCEPTION' });
      });
    });

  const viemTransports = {
    HTTP: () => http(gatewayUrl(service)),
    WebSocket: () => webSocket(socketUrl(service), { reconnect: false }),
  };
  for (const [name, transport] of Object.entries(viemTransports))
    describe(`given viem over ${name}`, () => {
      let client: PublicClient;
      before(() => {
        client = createPublicClient({ chain: foundry, transport: transport(), pollingInterval: 50, cacheTime: 0 });
      });
      after(async () => {
        const { getRpcClient } = client.transport as { getRpcClient?: () => Promise<{ close(): void }> };
        (await getRpcClient?.())?.close();
      });

      it('answers its reads and accepts its transaction', async () => {
        assert.equal(await client.getChainId(), 31337);
        await eventually(async () => assert.equal(Number(await client.getBlockNumber()), await height()));
        const account = mnemonicToAccount(phrase, { addressIndex: 2 });
        const wallet = createWalletClient({ account, chain: foundry, transport: transport() });
        const hash = await wallet.sendTransaction({ to: someone, value: 3n });
        const receipt = await client.waitForTransactionReceipt({ hash });
        assert.equal(receipt.status, 'success');
        assert.equal((await client.getBlock({ blockHash: receipt.blockHash })).number, receipt.blockNumber);
      });
      it('notifies it of blocks and events', async () => {
        const numbers: bigint[] = [];
        const values: unknown[] = [];
        const failures: Error[] = [];
        const onError = (error: Error) => failures.push(error);
        const unwatch = [
          client.watchBlockNumber({ onBlockNumber: (number) => numbers.push(number), onError }),
          client.watchEvent({
            address: token as `0x${string}`,
            event: parseAbiItem(transferEvent) as never,
            onLogs: (logs) =>
              values.push(...logs.map((log) => (log as unknown as { args: { value: bigint } }).args.value)),
            onError,
          }),
        ];
        await eventually(async () => {
          await mint(11);
          assert(numbers.length > 1 && values.length > 0);
        });
        for (const stop of unwatch) stop();
        assert.deepEqual(failures, []);
        assert(values.every((value) => value === 11n));
      });
    });

  describe('given web3', () => {
    for (const over of ['HTTP', 'WebSocket'])
      it(`answers its reads and accepts its transaction over ${over}`, async () => {
        const web3 = new Web3(over === 'HTTP' ? gatewayUrl(service) : socketUrl(service));
        assert.equal(await web3.eth.getChainId(), 31337n);
        await eventually(async () => assert.equal(Number(await web3.eth.getBlockNumber()), await height()));
        const [account] = web3.eth.accounts.wallet.add(
          HDNodeWallet.fromPhrase(phrase, '', "m/44'/60'/0'/0").deriveChild(3).privateKey,
        );
        assert(account);
        const receipt = await web3.eth.sendTransaction({ from: account.address, to: someone, value: 2, gas: 21_000 });
        assert.equal(receipt.status, 1n);
        const logs = await web3.eth.getPastLogs({ address: token, fromBlock: 'earliest', toBlock: 'latest' });
        assert(logs.length > 0);
        if (over === 'WebSocket') web3.currentProvider?.disconnect();
      });
    it('notifies it of heads and logs over WebSocket', async () => {
      const web3 = new Web3(socketUrl(service));
      const heads = await web3.eth.subscribe('newBlockHeaders');
      const logs = await web3.eth.subscribe('logs', { address: token });
      const numbers: number[] = [];
      heads.on('data', ({ number }) => void numbers.push(Number(number)));
      const log = once(logs as never, 'data');
      await mint(13);
      await eventually(async () => assert.equal(numbers.at(-1), await height()));
      assert.equal(((await log) as [{ address: string }])[0].address.toLowerCase(), token.toLowerCase());
      await web3.eth.clearSubscriptions();
      web3.currentProvider?.disconnect();
    });
  });

  it('serves ethers, viem and web3 the methods of their token, and reports other methods as unavailable', async () => {
    const methods = ['evm_chainId', 'evm_blockNumber', 'net_version'];
    const { token: key } = await clientOf(service).admin.createGatewayToken({ name: 'reader', methods });
    const [url, wsUrl] = [gatewayUrl(service, key), socketUrl(service, key)];
    const isNotThere = (error: unknown) =>
      /-32601|this gateway token does not allow the method evm_getBalance/.test(inspect(error));
    for (const provider of [new JsonRpcProvider(url), new WebSocketProvider(wsUrl)]) {
      await eventually(async () => assert.equal(await provider.getBlockNumber(), await height()));
      await assert.rejects(provider.getBalance(someone), isNotThere);
      await provider.destroy();
    }
    const viem = createPublicClient({ chain: foundry, transport: http(url) });
    assert.equal(await viem.getChainId(), 31337);
    await assert.rejects(viem.getBalance({ address: someone }), isNotThere);
    const web3 = new Web3(url);
    assert.equal(await web3.eth.getChainId(), 31337n);
    await assert.rejects(web3.eth.getBalance(someone), isNotThere);
  });

  it('names in headers the node that answered a call and whether the cache did, and bypasses the cache on request', async () => {
    const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] });
    const headersOf = async (body: string, headers: Record<string, string> = {}) => {
      const found = await post(gatewayUrl(service), body, headers);
      return ['cache', 'node', 'attempts'].map((name) => found.headers.get(`x-gateway-${name}`));
    };
    await post(gatewayUrl(service), call);
    for (let i = 0; i < 3; i++) assert.deepEqual(await headersOf(call), ['hit', null, null]);
    const [cache, node, attempts] = await headersOf(call, { 'x-gateway-cache': 'skip' });
    assert.deepEqual([cache, Number(attempts) >= 1], ['skip', true]);
    // The headers may name either node, because the second one is asked when the first one is slow.
    assert.match(node ?? '', /^[01]$/);
    assert.equal((await headersOf(call.replace('eth_chainId', 'eth_blockNumber')))[0], 'miss');
    // An error of the gateway itself, and the answer to a batch, come from no single node.
    for (const other of [call.replace('eth_chainId', 'eth_chainIds'), `[${call}]`])
      assert.deepEqual(await headersOf(other), [null, null, null]);
  });

  it('answers with the members of blocks, transactions, receipts and logs that docs/specification.md lists', async () => {
    const ask = async (method: string, ...params: unknown[]) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      return JSON.parse((await post(gatewayUrl(service), body)).text).result;
    };
    const { transaction_hash } = await mint(17);
    const receipt = await eventually(async () => {
      const found = await ask('evm_getTransactionReceipt', transaction_hash);
      assert(found);
      return found;
    });
    const answers: Readonly<Record<string, object>> = {
      Block: await ask('evm_getBlockByHash', receipt.blockHash, false),
      Transaction: await ask('evm_getTransactionByHash', transaction_hash),
      Receipt: receipt,
      Log: receipt.logs[0],
    };
    for (const [object, answer] of Object.entries(answers)) {
      const { listed, added } = gatewayMembers(object);
      const members = Object.keys(answer);
      assert.deepEqual(new Set(members.filter((member) => !added.includes(member))), new Set(listed), object);
    }
  });
});
