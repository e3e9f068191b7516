/**
 * Descriptions of the fields of statements and imports, by schema and field, worded as in docs/specification.md. A test
 * compares both.
 */
export const statementRecordTexts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Statement: {
    start_block: 'The last block at or before `start_time`; the period begins after it.',
    end_block: 'The last block at or before `end_time`, with which the period ends.',
    lines: 'A line for each address and asset; only on the first page.',
  },
  StatementLine: {
    address: 'The address.',
    asset_type: 'The type of the asset.',
    asset_metadata: "Metadata of the token; empty for the chain's own coin.",
    opening_balance: 'The balance at `start_block`, decimal, in smallest units; 0 before the asset was followed.',
    incoming: 'The sum of received amounts.',
    outgoing: 'The sum of sent amounts, without fees.',
    fees: "The sum of paid fees; 0 for assets other than the chain's own coin.",
    in_transit:
      'The part of `closing_balance` that had too few confirmations at `end_block`: received less sent amounts and fees; may be negative.',
    closing_balance: 'The balance at `end_block`.',
    unexplained: '`closing_balance` - `opening_balance` - `incoming` + `outgoing` + `fees`; may be negative.',
    reasons: 'Why `unexplained` is not 0; empty if it is.',
    corrections:
      'Corrections of the balance by reconciliation at blocks of the period, newest first; absent if there are none or `unexplained` is 0.',
  },
  StatementCorrection: {
    block: 'The block at which the balances were compared.',
    expected: 'The stored balance before the correction, decimal, in smallest units.',
    found: 'The balance on the chain.',
  },
  Import: {
    import_id: 'The id of the import.',
    wallet_id: 'The wallet of the address.',
    address: 'The address in its stored form.',
    state: '`IMPORT_STATE_RUNNING`, `IMPORT_STATE_COMPLETED` or `IMPORT_STATE_FAILED`.',
    from_block: 'The first block that is read.',
    current_block: 'The last block that was read; `from_block` before any was.',
    to_block: 'The last block that is read.',
    untraced: 'True if no node traced the blocks, so that coins which contracts sent are missing.',
    reason: 'Why the import failed; absent if it did not.',
  },
  Movement: {
    transfer: 'The transfer; with the value 0 and an empty `to` for a fee alone.',
    address: 'The address of the wallet that the movement concerns.',
    direction: '`incoming` or `outgoing`.',
    fee: "The fee that the address paid for the transaction, decimal, in smallest units of the chain's coin; 0 if it paid none, or if another movement of the transaction shows it.",
  },
};
