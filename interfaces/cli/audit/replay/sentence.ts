import type { EventData, EventType } from '../../../../domain/aggregates.js';
import type { Names } from './names.js';

/**
 * Functions that say in words what an event did, without naming the actor and the chain; keyed by event type.
 */
export type Sentences<T extends EventType> = {
  readonly [K in T]: (data: EventData<K>, names: Names) => string;
};

type Asset = { readonly standard: string; readonly contract?: string; readonly tokenId?: string };
export const assetText = ({ standard, contract, tokenId }: Asset): string =>
  [standard === 'native' ? 'the native coin' : standard, contract, tokenId && `#${tokenId}`].filter(Boolean).join(' ');

export const amountText = (amount: string, asset: Asset): string => `${amount} units of ${assetText(asset)}`;

export const blockText = ({ number }: { readonly number: number }): string => `block ${number}`;
