import type { RpcAnswer, RpcCall, Source } from '../../../application/ports/node.js';
import { type BlockTag, taggedHeightIn, tagIn } from '../checks.js';
import { createAnnouncedHeight, unknownHeight } from './announced-height.js';

type Result = Extract<RpcAnswer, { readonly result: Uint8Array }>;
type Seen = { readonly height: number; readonly answer: Result };

/** Channel over which processes share the heads that they announced to callers, separately for each chain. */
export type HeadChannel = {
  announce(chain: string, height: number): void;
  listen(chain: string, listener: (height: number) => void): unknown;
};

type AnnouncedHeadOptions = {
  /** Called when the announced head changes. */
  onMove(): void;
  /** Returns the greatest height that a healthy node of the chain has reported; 0 when no height is known. */
  tip(): number;
  readonly channel?: HeadChannel | undefined;
};

/** Creates functions that share heads with other processes whose nodes serve the same chain. */
const createHeadSharing = (channel: HeadChannel | undefined, onHead: (height: number) => void) => {
  let chain: string | null = null;
  let shared = unknownHeight;
  const share = (height: number) => {
    if (chain === null || height === shared) return;
    shared = height;
    channel?.announce(chain, height);
  };
  return {
    share,
    /** Starts to share the heads of the chain with this name, and stops to share those of the previous chain. */
    follow: (name: string) => {
      chain = name;
      shared = unknownHeight;
      channel?.listen(name, (height) => {
        if (chain !== name) return;
        shared = height;
        onHead(height);
      });
    },
  };
};

/**
 * Creates a tracker for the highest head announced to any caller, and for the highest safe and finalized blocks, so
 * that they never go backwards.
 */
export const createAnnouncedHead = ({ onMove, tip, channel }: AnnouncedHeadOptions) => {
  const createHeights = () => ({
    latest: createAnnouncedHeight(),
    safe: createAnnouncedHeight(),
    finalized: createAnnouncedHeight(),
  });
  let announced = createHeights();
  let resets = 0;
  /**
   * Newest answer about the latest, safe or finalized block, keyed by the method and parameters of the request.
   */
  const newest = new Map<string, Seen>();

  const boundOf = (tag: BlockTag): number => {
    const reported = tip();
    if (tag === 'latest' && reported > 0) announced.latest.see(reported);
    return announced[tag].bound();
  };
  const isBehind = (found: number | null): boolean => found !== null && found < boundOf('latest');
  const note = (found: number) => {
    if (!isBehind(found) && announced.latest.set(found)) onMove();
  };
  const sharing = createHeadSharing(channel, (height) => {
    if (height > boundOf('latest')) note(height);
  });
  const raise = (found: number) => {
    note(found);
    if (announced.latest.bound() === found) sharing.share(found);
  };
  const earlierAnswer = (key: string, { method }: RpcCall, bound: number, source?: Source): Result | number => {
    if (method === 'eth_blockNumber')
      return { result: Buffer.from(`"0x${bound.toString(16)}"`), ...(source && { source }) };
    const seen = newest.get(key);
    return seen && seen.height >= bound ? seen.answer : bound;
  };

  return {
    /** Returns the height below which no head may be announced; -1 for no bound. */
    height: (): number => boundOf('latest'),
    isBehind,
    raise,
    /** Returns the number of resets. If the number changed during a call, the answer may be from the previous chain. */
    resets: () => resets,
    /** Shares heads with other processes whose nodes serve the chain of this name. */
    follow: (chain: string): void => {
      sharing.follow(chain);
      const bound = announced.latest.bound();
      if (bound !== unknownHeight) sharing.share(bound);
    },
    /** Resets all heads after the nodes switched to another chain, or after a development chain was rewound. */
    reset: () => {
      resets++;
      announced = createHeights();
      newest.clear();
      onMove();
    },
    /**
     * Returns the answer, unless its block is lower than the announced one. In that case, returns an earlier answer
     * with the announced block or, if there is none, the announced height.
     */
    settle: (call: RpcCall, params: string, answer: Result): Result | number => {
      const tag = tagIn(call.method, call.params);
      const found = tag && taggedHeightIn(call.method, answer);
      if (tag === null || found === null) return answer;
      const key = `${call.method} ${params}`;
      if (tag !== 'latest') announced[tag].see(found);
      const bound = boundOf(tag);
      if (found < bound) return earlierAnswer(key, call, bound, answer.source);
      if (tag === 'latest') raise(found);
      else announced[tag].set(found);
      newest.set(key, { height: found, answer });
      return answer;
    },
  };
};

export type AnnouncedHead = ReturnType<typeof createAnnouncedHead>;
