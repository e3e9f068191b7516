import type { App } from '../../application/app.js';
import type { Context, Done } from '../../application/commands/handle.js';
import { contextOf, variantOf } from '../support/following/following.js';
import type { Random } from '../support/random.js';
import type { LedgerChain } from '../support/simulation/chain.js';
import type { World } from './world.js';

/** Wallet that a client registers. `walletId` is empty until the service has acknowledged the wallet. */
export type Account = {
  readonly walletId: string;
  readonly name: string;
  readonly endpoint: string;
  /** Height of the chain when the registration of an address was acknowledged, by address; infinite until then. */
  readonly addresses: Map<string, number>;
  /** Height of the chain when the registration of the wallet's webhook was acknowledged; null until then. */
  heardFrom: number | null;
};

const attemptMs = 30_000;
const pauseMs = 2000;
const variant = variantOf('c');

/** Client of one organization. Repeats each command under the same idempotency key until it is acknowledged. */
export const createClient = (around: {
  readonly world: World;
  readonly organizationId: string;
  readonly chain: LedgerChain;
  readonly people: readonly string[];
  /** Returns the application of a process that answers requests; null while there is none. */
  readonly reach: () => App | null;
}) => {
  const { world, organizationId, chain, people, reach } = around;
  const luck: Random = world.luck(`client ${organizationId}`);
  const accounts: Account[] = [];
  /**
   * Height of the chain when the registration of a token contract was acknowledged, by contract; infinite until then.
   */
  const tokens = new Map<string, number>();
  let commands = 0;
  let open = 0;

  const within = <T>(work: Promise<T>): Promise<T | 'lost'> =>
    Promise.race([work, world.wait(attemptMs).then(() => 'lost' as const)]);

  /** Repeats a command until the service acknowledges it. */
  const insist = async <T>(request: string, run: (app: App, by: Context) => Promise<Done<T>>): Promise<T> => {
    const key = `${organizationId}-${commands++}`;
    open++;
    const attempt = async (app: App, n: number) => {
      const by = { ...contextOf(organizationId, variant), requestId: `${key}-${n}` };
      const retry = { apiKey: organizationId, idempotencyKey: key, request, confidential: false };
      return app.idempotency(retry, (idSeed) => run(app, { ...by, idSeed }));
    };
    for (let n = 0; ; n++) {
      const app = reach();
      const answer = app ? await within(attempt(app, n)).catch((error: Error) => error) : 'lost';
      if (answer !== 'lost' && !(answer instanceof Error)) {
        open--;
        world.note(`${organizationId} is told: ${request} is done`);
        return answer.answer;
      }
      if (answer instanceof Error) world.note(`${organizationId} is told: ${request} failed: ${answer.message}`);
      await world.wait(pauseMs + luck.below(pauseMs));
    }
  };

  const openAccount = async () => {
    const name = `wallet ${accounts.length}`;
    const endpoint = `https://${organizationId.replace('_', '-')}.example/${accounts.length}`;
    const wanted = { name, address: undefined, importAsset: undefined, confirmation: luck.between(1, 6) };
    const account: Account = { walletId: '', name, endpoint, addresses: new Map(), heardFrom: null };
    accounts.push(account);
    const { wallet_id: walletId } = await insist(`register ${name}`, (app, by) => app.wallets.register(by, wanted));
    Object.assign(account, { walletId });
    const hook = { walletId, endpoint, confirmation: luck.between(1, 3), final: true };
    await insist(`register webhook of ${name}`, (app, by) => app.webhooks.register(by, hook));
    account.heardFrom = chain.head().number;
    await addAddress(account);
  };
  const addAddress = async (account: Account) => {
    const free = people.filter((one) => accounts.every(({ addresses }) => !addresses.has(one)));
    if (free.length === 0 || account.walletId === '') return;
    const text = luck.pick(free);
    account.addresses.set(text, Number.POSITIVE_INFINITY);
    const inputs = [{ text, path: '' }];
    const { walletId } = account;
    await insist(`register ${text.slice(0, 8)}`, (app, by) => app.addresses.register(by, { walletId, inputs }));
    account.addresses.set(text, chain.head().number);
  };

  const addToken = async (token: string) => {
    tokens.set(token, Number.POSITIVE_INFINITY);
    await insist(`register token ${token.slice(0, 8)}`, (app, by) => app.contracts.register(by, token, 'erc20'));
    tokens.set(token, chain.head().number);
  };

  return {
    organizationId,
    accounts: (): readonly Account[] => accounts,
    tokens: (): ReadonlyMap<string, number> => tokens,
    isIdle: () => open === 0,
    /**
     * Registers a random choice of a wallet, an address or a token contract. Resolves when the service has acknowledged
     * it.
     */
    act: (): Promise<void> => {
      const account = accounts.length > 0 ? luck.pick(accounts) : undefined;
      if (!account) return openAccount();
      const token = chain.tokens.find((one) => !tokens.has(one));
      if (token !== undefined && luck.next() < 0.3) return addToken(token);
      return luck.next() < 0.6 ? addAddress(account) : openAccount();
    },
  };
};

export type Client = ReturnType<typeof createClient>;
export const bankVariant = variant;
