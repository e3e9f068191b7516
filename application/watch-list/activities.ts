import type { UnsettledDocument } from '../../projections/unsettled.js';

export type Holder = { readonly organizationId: string; readonly walletId: string };
export const holderKey = ({ organizationId, walletId }: Holder) => `${organizationId}/${walletId}`;

export type BlockRef = UnsettledDocument['block'];
/** What one block did to one wallet, and how far it is: waiting for depth, to be told, done, or dropped and to be corrected. */
export type Activity = Holder & { readonly block: BlockRef; readonly phase: 'pending' | 'open' | 'settled' | 'due' };

/** What blocks that may still be replaced, or are not yet deep enough, did to wallets. */
export const createActivities = () => {
  const blocks = new Map<string, Map<string, Activity>>();

  const forget = (hash: string, holder: Holder) => {
    const own = blocks.get(hash);
    own?.delete(holderKey(holder));
    if (own?.size === 0) blocks.delete(hash);
  };
  const all = function* () {
    for (const own of blocks.values()) yield* own.values();
  };

  return {
    all,
    in: (blockHash: string): readonly Activity[] => [...(blocks.get(blockHash)?.values() ?? [])],
    set: (holder: Holder, block: BlockRef, phase: Activity['phase']) => {
      const own = blocks.get(block.hash) ?? new Map<string, Activity>();
      own.set(holderKey(holder), { ...holder, block, phase });
      blocks.set(block.hash, own);
    },
    settle: (holder: Holder, block: BlockRef, phase: 'open' | 'settled') => {
      const own = blocks.get(block.hash) ?? new Map<string, Activity>();
      const before = own.get(holderKey(holder));
      if (before?.phase === 'due') return forget(block.hash, holder);
      blocks.set(block.hash, own.set(holderKey(holder), { ...holder, block, phase }));
    },
    forget: (holder: Holder, block: BlockRef) => forget(block.hash, holder),
    /** What was settled at or below this height no longer changes. */
    forgetSettled: (height: number) => {
      for (const { block, phase, ...holder } of all())
        if (phase === 'settled' && block.number <= height) forget(block.hash, holder);
    },
  };
};
