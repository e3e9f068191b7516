import type { FoundImport } from '../../../application/importing/history-imports.js';
import { operation } from '../define.js';
import { anyImport } from '../examples/ids.js';
import { unixTime } from '../records.js';
import { address, flag, id, int64, named, openEnum, type Schema, text } from '../schema.js';

const height = int64({ minimum: 0 });
const states = { RUNNING: 'IMPORT_STATE_RUNNING', COMPLETED: 'IMPORT_STATE_COMPLETED', FAILED: 'IMPORT_STATE_FAILED' };

type ImportRecord = {
  import_id: string;
  wallet_id: string;
  address: string;
  state: string;
  from_block: number;
  current_block: number;
  to_block: number;
  untraced: boolean;
  reason?: string;
};
const importRecord: Schema<ImportRecord> = named<ImportRecord>(
  'Import',
  {
    import_id: id,
    wallet_id: id,
    address: text(1, 200),
    state: openEnum(Object.values(states)),
    from_block: height,
    current_block: height,
    to_block: height,
    untraced: flag(),
    reason: text(0, 10_000),
  },
  ['reason'],
);
const showImport = (found: FoundImport): ImportRecord => ({
  import_id: found.import_id,
  wallet_id: found.wallet_id,
  address: found.address,
  state: states[found.state],
  from_block: found.from_block,
  current_block: found.current_block,
  to_block: found.to_block,
  untraced: found.untraced ?? false,
  ...(found.reason !== undefined && { reason: found.reason }),
});

export const importHistory = operation({
  kind: 'command',
  name: 'ImportHistory',
  summary:
    'Import the transfers of an address from before its registration, in the background and without notifications.',
  surface: 'wallet',
  extension: true,
  touches: 'blocks',
  request: {
    address: { schema: address, required: true },
    from_block: { schema: height },
    from_time: { schema: unixTime },
  },
  example: ({ addressExample }) => ({ address: addressExample, from_block: 0 }),
  response: { import_id: { schema: id, required: true } },
  handle: (app, { address, from_block, from_time }, by) =>
    app.requestImport(by, { address, fromBlock: from_block, fromTime: from_time }),
});

export const getImport = operation({
  kind: 'query',
  name: 'GetImport',
  summary: 'Get the state and the progress of an import.',
  surface: 'wallet',
  extension: true,
  request: { import_id: { schema: id, required: true } },
  example: () => ({ import_id: anyImport }),
  response: { import: { schema: importRecord, required: true } },
  handle: async (app, { import_id }, by) => ({ import: showImport(await app.historyImports.find(by, import_id)) }),
});
