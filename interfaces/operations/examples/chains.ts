import type { Family } from '../../../domain/variant.js';

export const exampleHash = '2e7d2c03a9507ae265ecf5b5356885a53393a2029d241394997265a1a25aefc6';

/** Example values that differ between chain families. */
export type ChainExample = {
  /**
   * Stored and returned form of the address that example requests send, which is the `addressExample` of the variant.
   */
  readonly address: string;
  readonly sender: string;
  /**
   * Stored and returned form of the token address that example requests send, which is the `tokenExample` of the
   * variant.
   */
  readonly token: string;
  readonly amount: string;
  readonly fee: string;
  readonly transaction: string;
};
export const chainExamples: Readonly<Record<Family, ChainExample>> = {
  ton: {
    address: '0:237e5119ffa2a028cc4f95c9ca37566852f1dd4d3ea15704d6f791065507de4a',
    sender: '0:83dfd552e63729b472fcbcc8c45ebcc6691702558b68ec7527e1ba403a0f31a8',
    token: '0:b113a994b5024a16719f69139328eb759596c38a25f59028b146fecdc3621dfe',
    amount: '2500000000',
    fee: '2434000',
    transaction: exampleHash,
  },
  sui: {
    address: '0xac5bceec1b789ff840d7d4e6ce4ce61c90d190a7f8c4f4ddf0bff6ee2413c33c',
    sender: '0x6f1d2c3b4a5968778695a4b3c2d1e0ff0e1d2c3b4a59687786950a4b3c2d1e0f',
    token: `0x${'5'.padStart(64, '0')}::usd::USD`,
    amount: '2500000000',
    fee: '1997880',
    transaction: '8qCvyMwzMDH4oLXqAxnBUzFcQJbZ9kTBpkdF1dBLbB9V',
  },
  evm: {
    address: '0x3535353535353535353535353535353535353535',
    sender: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
    token: '0x3535353535353535353535353535353535353535',
    amount: '1000000000000000000',
    fee: '42000000000000',
    transaction: `0x${exampleHash}`,
  },
};
