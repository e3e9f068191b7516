import type { App } from '../../../application/app.js';
import type { Context } from '../../../application/commands/handle.js';
import { showDifference } from '../../../application/reconciliation/difference-record.js';
import { fail } from '../../../domain/failure.js';
import { chains } from '../../../domain/variant.js';
import { type Command, type Invocation, NegativeResult } from '../command/command.js';
import { createProgressLine } from '../command/progress-line.js';
import { operator, organizationOption, withStores } from '../command/session.js';

const contextsOf = (app: App, organizationId: string): readonly Context[] => {
  const followed = chains.filter(({ tag }) => app.followers.some(({ variant }) => variant === tag));
  if (followed.length === 0)
    fail('UNAVAILABLE', 'No chain is configured. Set CHAIN_<tag>_URL to the URL of a node, as for the service.');
  return followed.map((variant) => ({ ...operator(app), organizationId, variant }));
};

/** Yields the wallets of an organization on all configured chains; only the wallet `wanted` if it is given. */
const walletsOf = async function* (app: App, organizationId: string, wanted: string | undefined) {
  for (const context of contextsOf(app, organizationId))
    for await (const walletId of app.reconciliation.walletIds(context))
      if (walletId === (wanted ?? walletId)) yield { context, walletId };
};

type Counts = { wallets: number; addresses: number; differences: number };
const progressText = ({ wallets, addresses }: Counts) => `Compared ${addresses} addresses of ${wallets} wallets`;

const reconcileOne = async (app: App, { print }: Invocation, context: Context, walletId: string, counts: Counts) => {
  const { variant } = context;
  for await (const { addresses, differences } of app.reconciliation.reconcileParts(context, walletId)) {
    counts.addresses += addresses;
    counts.differences += differences.length;
    const assets = differences.map(({ asset }) => asset);
    const describe = await app.descriptions(context, assets);
    for (const difference of differences) {
      const shown = { wallet_id: walletId, ...showDifference(variant, difference, describe) };
      const contract = 'contract' in difference.asset ? ` ${difference.asset.contract}` : '';
      print(
        shown,
        `${walletId}  ${shown.address}  ${shown.asset_type}${contract}  expected ${shown.expected}, found ${shown.found} at block ${shown.block}`,
      );
    }
  }
};

export const auditReconcile: Command = {
  words: 'audit reconcile',
  summary: 'Compare the balances of an organization with the nodes at a final block, and correct those that differ.',
  options: {
    organization: organizationOption,
    wallet: { type: 'string', value: 'ID', summary: 'Compare only this wallet.' },
  },
  run: (invocation) => {
    const { options, print, draw, open } = invocation;
    const connected = { ...invocation, open: () => open({ chains: 'configured' }) };
    return withStores(connected, async (app) => {
      const organizationId = await app.organizations.idOf(options.organization ?? '');
      const counts: Counts = { wallets: 0, addresses: 0, differences: 0 };
      const line = createProgressLine<Counts>(draw, { text: progressText, write: () => undefined });
      try {
        for await (const { context, walletId } of walletsOf(app, organizationId, options.wallet)) {
          await reconcileOne(app, invocation, context, walletId, counts);
          counts.wallets++;
          line.update('', () => counts);
        }
      } finally {
        line.end();
      }
      if (options.wallet !== undefined && counts.wallets === 0)
        fail('NOT_FOUND', `Wallet not found: ${options.wallet}`);
      print({ summary: counts }, `${progressText(counts)}: ${counts.differences} differences`);
      if (counts.differences > 0) throw new NegativeResult('Some balances differed and were corrected');
    });
  },
};
