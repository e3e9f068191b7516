import type { Blocks } from './blocks.js';

const finality = 64;
const trailing: readonly unknown[] = ['finalized', 'safe'];
const isRecord = (param: unknown): param is object =>
  typeof param === 'object' && param !== null && !Array.isArray(param);

/**
 * Replaces the tags `finalized` and `safe` by a height, because EDR takes its head for final. No method uses these two
 * words for anything else.
 */
export const settleTags = async (blocks: Blocks, params: readonly unknown[]) => {
  const values = params.flatMap((param) => (isRecord(param) ? Object.values(param) : [param]));
  if (!values.some((value) => trailing.includes(value))) return params;
  const height = `0x${Math.max(0, (await blocks.height()) - finality).toString(16)}`;
  const settle = (value: unknown) => (trailing.includes(value) ? height : value);
  return params.map((param) =>
    isRecord(param)
      ? Object.fromEntries(Object.entries(param).map(([field, value]) => [field, settle(value)]))
      : settle(param),
  );
};
