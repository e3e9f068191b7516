/** Hash of the transaction on a rollup that all example answers of the query API are about. */
const hash = '0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b';
const from = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
const token = '0x5fbdb2315678afecb367f032d93f642f64180aa3';
const receiver = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const blockHash = '0x1d59ff54b1eb26b013ce3cb5fc9dab3705b415a67127a003c3e61eb445bb8df2';
const digest = (digit: string) => `0x${digit.repeat(64)}`;
const word = (value: string) => value.replace(/^0x/, '').padStart(64, '0');
const place = { block_number: 6_139_707, block_hash: blockHash, transaction_index: 65 };

const sent = {
  transaction_hash: hash,
  from,
  to: token,
  gas: 60_000,
  gas_price: 2_000_000_000,
  input: `0xa9059cbb${word(receiver)}${word('0xde0b6b3a7640000')}`,
  nonce: 21,
  value: '0x0',
  r: digest('1'),
  s: digest('2'),
  v: '0x25',
};

const block = {
  block_hash: blockHash,
  block_number: place.block_number,
  difficulty: 0,
  extra_data: '0x',
  gas_limit: 30_000_000,
  gas_used: 5_231_044,
  logs_bloom: `0x${'0'.repeat(512)}`,
  miner: '0x4200000000000000000000000000000000000011',
  mix_hash: digest('3'),
  nonce: '0x0000000000000000',
  parent_hash: digest('4'),
  receipts_root: digest('5'),
  sha3_uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
  size: 21_544,
  state_root: digest('6'),
  timestamp: 1_767_225_600,
  transactions_root: digest('7'),
  uncles: [],
};

const transaction = { ...sent, ...place };
const pending_transaction = { ...sent, record_time: '2026-01-01T00:00:00.000Z' };

const transaction_receipt = {
  transaction_hash: hash,
  ...place,
  contract_address: '',
  cumulative_gas_used: 4_102_388,
  from,
  to: token,
  gas_used: 51_302,
  logs_bloom: block.logs_bloom,
  status: 1,
  effective_gas_price: sent.gas_price,
};

const internal_transaction = {
  transaction_hash: hash,
  from: token,
  to: receiver,
  gas: 30_000,
  gas_used: 2300,
  input: '0x',
  output: '0x',
  call_type: 'CALL',
  trace_index: 0,
  value: '0x2386f26fc10000',
  error: '',
};

const log = {
  transaction_hash: hash,
  address: token,
  data: `0x${word('0xde0b6b3a7640000')}`,
  topics: [
    '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
    `0x${word(from)}`,
    `0x${word(receiver)}`,
  ],
  ...place,
  log_index: 112,
  removed: false,
};

export const exampleRequest = { hash, from, block_number: place.block_number };

export const exampleAnswers = {
  block: { block },
  transaction: { transaction },
  transactions: { transactions: [transaction] },
  pendingTransaction: { pending_transaction },
  pendingTransactions: { pending_transactions: [pending_transaction] },
  receipt: { transaction_receipt },
  internalTransactions: { internal_transactions: [internal_transaction] },
  logs: { logs: [log] },
};
