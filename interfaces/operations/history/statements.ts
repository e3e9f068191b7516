import type { WalletApis } from '../../../application/composition/wallet-apis.js';
import type { Listed } from '../../../application/read-models/paging.js';
import type { Line } from '../../../application/statements/lines.js';
import { showLine, showMovement } from '../../../application/statements/wire-records.js';
import { assetType, movementRecord, standardNamed, statementRecord, tokenAddress } from '../asset-records.js';
import { type Caller, operation } from '../define.js';
import { anyWallet } from '../examples/ids.js';
import { exampleSeconds } from '../examples/values.js';
import { pageSize, pageToken, pagination, unixTime } from '../records.js';
import { address, id, list } from '../schema.js';

const monthSeconds = 2_678_400;

/**
 * Converts the lines of a statement to their API form, with descriptions of their assets. Lines that are still to be
 * read from the stores are converted when they are read.
 */
const shownLines = async (app: WalletApis, by: Caller, lines: Listed<Line>) => {
  const show = async (some: readonly Line[]) => {
    const describe = await app.descriptions(
      by,
      some.map(({ asset }) => asset),
    );
    return some.map((line) => showLine(by.variant, line, describe));
  };
  if (!(Symbol.asyncIterator in lines)) return show(lines);
  return (async function* () {
    for await (const some of lines) yield await show(some);
  })();
};

export const getStatement = operation({
  kind: 'query',
  name: 'GetStatement',
  summary:
    'Get the statement of a wallet or an address for a period: balances at both ends, movements, fees and any difference.',
  surface: 'wallet',
  extension: true,
  touches: 'transfers',
  isLarge: true,
  request: {
    wallet_id: { schema: id },
    address: { schema: address },
    asset_type: { schema: assetType },
    contract_address: { schema: address, needs: 'token-contracts' },
    token_address: { schema: tokenAddress, needs: 'token-import' },
    start_time: { schema: unixTime, required: true },
    end_time: { schema: unixTime, required: true },
    page_size: { schema: pageSize },
    page_token: { schema: pageToken },
  },
  atLeastOne: ['wallet_id', 'address'],
  example: () => ({ wallet_id: anyWallet, start_time: exampleSeconds - monthSeconds, end_time: exampleSeconds }),
  response: {
    statement: { schema: statementRecord, required: true },
    movements: { schema: (variant) => list(movementRecord(variant)), required: true },
    pagination: { schema: pagination, required: true },
  },
  handle: async (app, request, by) => {
    const { asset_type } = request;
    const { period, lines, movements, nextPageToken } = await app.statements.page(
      by,
      {
        walletId: request.wallet_id,
        address: request.address,
        standard: asset_type === undefined ? undefined : standardNamed(by.variant, asset_type),
        contract: request.contract_address,
        token: request.token_address,
        startTime: request.start_time,
        endTime: request.end_time,
      },
      { size: request.page_size ?? 10, token: request.page_token },
    );
    const describe = await app.descriptions(
      by,
      movements.map(({ document }) => document.transfer.asset),
    );
    const { start, end } = period;
    return {
      statement: { start_block: start.number, end_block: end.number, lines: await shownLines(app, by, lines) },
      movements: movements.map((movement) => showMovement(by.variant, movement, describe)),
      pagination: { next_page_token: nextPageToken },
    };
  },
});
