import type { App } from '../../../../application/app.js';
import type { Context } from '../../../../application/commands/handle.js';
import type { CutOff } from '../../../../application/statements/cut-off.js';
import type { Whole } from '../../../../application/statements/statements.js';
import { Failure, fail } from '../../../../domain/failure.js';
import { variants } from '../../../../domain/variant.js';
import { operator } from '../../command/session.js';
import { isoTime, showEntries } from './entries.js';
import type { StatementFile } from './format.js';

const organizationsOf = async function* (app: App, named: string | undefined) {
  if (named !== undefined) return void (yield await app.organizations.idOf(named));
  for await (const { organization_id } of app.organizations.all()) yield organization_id;
};

/** Returns the contexts of an organization, one for each wallet API. */
export const walletContexts = (app: App, organizationId: string): readonly Context[] =>
  variants
    .filter(({ surface }) => surface === 'wallet')
    .map((variant) => ({ ...operator(app), organizationId, variant }));

/** Finds the organization and the API of a wallet by its id, which is unique across organizations and APIs. */
export const contextOf = async (app: App, walletId: string, organization: string | undefined): Promise<Context> => {
  for await (const organizationId of organizationsOf(app, organization))
    for (const context of walletContexts(app, organizationId)) {
      const found = await app.wallets.find(context, { walletId, address: undefined }).catch((error: unknown) => {
        if (error instanceof Failure && error.code === 'NOT_FOUND') return null;
        throw error;
      });
      if (found) return context;
    }
  return fail('NOT_FOUND', `Wallet not found: ${walletId}`);
};

export const everyAsset = { standard: undefined, contract: undefined, token: undefined };

const cutOffText = ({ time, number, isRecorded }: CutOff) =>
  `${isoTime(time)} (block ${number}${isRecorded ? ', the last with activity, as no node answered' : ''})`;

/**
 * Returns true if no node responded for the start or the end of the period. The statement then uses the last block with
 * stored activity in place of the block at that time.
 */
export const isWithoutNode = ({ period: { start, end } }: Pick<Whole, 'period'>) =>
  Boolean(start.isRecorded || end.isRecorded);

/**
 * Returns the content of the file of a statement: its title, the facts that are shown above the entries, and the
 * entries themselves.
 */
export const describeStatement = async (app: App, context: Context, statement: Whole): Promise<StatementFile> => {
  const { organizationId, variant } = context;
  const organization = await app.organizations.find({ organizationId, role: 'admin' }, { id: organizationId });
  const { wallet, period } = statement;
  const counts = { movements: 0, lines: 0, unexplained: 0 };
  return {
    title: `Statement of wallet ${wallet.name || wallet.wallet_id}`,
    facts: {
      Organization: `${organization.name} (${organizationId})`,
      Wallet: `${wallet.name} (${wallet.wallet_id})`,
      API: variant.tag,
      Period: `after ${cutOffText(period.start)} up to ${cutOffText(period.end)}, UTC`,
    },
    endTime: period.end.time,
    entries: showEntries(app, context, statement, counts),
    counts,
  };
};
