import { isRecord } from '../../../../domain/rpc-value.js';
import type { Blocks } from './blocks.js';

const finalDepth = 64;
const laggingTags: readonly unknown[] = ['finalized', 'safe'];

/**
 * Replaces the tags `finalized` and `safe` with the height 64 blocks below the head, because EDR treats its head as
 * final. Replaces these tags in the parameters of all methods, because no method uses the two words for anything else.
 */
export const resolveTags = async (blocks: Blocks, params: readonly unknown[]) => {
  const values = params.flatMap((param) => (isRecord(param) ? Object.values(param) : [param]));
  if (!values.some((value) => laggingTags.includes(value))) return params;
  const height = `0x${Math.max(0, (await blocks.height()) - finalDepth).toString(16)}`;
  const resolve = (value: unknown) => (laggingTags.includes(value) ? height : value);
  return params.map((param) =>
    isRecord(param)
      ? Object.fromEntries(Object.entries(param).map(([field, value]) => [field, resolve(value)]))
      : resolve(param),
  );
};
