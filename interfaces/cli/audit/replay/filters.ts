import type { EventRecord } from '../../../../application/audit/event-record.js';
import { apiKeyForm, shortApiKey } from '../../../../application/commands/api-key.js';
import { eventTest } from '../../../operations/history/event-filter.js';
import type { Option } from '../../command/command.js';
import type { Names } from './names.js';
import { namesAddress } from './names-address.js';

const filter = (value: string, summary: string): Option => ({ type: 'string', value, summary });

export const filterOptions = {
  wallet: filter('ID|NAME', 'Only events of this wallet.'),
  address: filter('ADDRESS', 'Only events that name this address.'),
  type: filter('TYPE,…', 'Only events of these types.'),
  actor: filter('ACTOR', 'Only events of this key (its name or api_key), operator, process, or kind of actor.'),
  request: filter('ID', 'Only events of the request with this id.'),
} as const;

const isOfWallet = ({ data }: EventRecord, wanted: string, names: Names) => {
  const { walletId } = data as { walletId?: unknown };
  return typeof walletId === 'string' && (walletId === wanted || names.wallet(walletId) === wanted);
};

const isBy = ({ actor: { kind, id } }: EventRecord, wanted: string, names: Names) =>
  [kind, id, names.key(id), apiKeyForm.test(id) && shortApiKey(id)].includes(wanted);

/** Returns a predicate for the events that pass all filters of the command line. */
export const replayTest = (options: Readonly<Record<string, string | undefined>>, names: Names) => {
  const { wallet, address, type, actor, request } = options;
  const passes = eventTest({ types: type?.split(','), correlation_id: request });
  return (event: EventRecord): boolean =>
    passes(event) &&
    (wallet === undefined || isOfWallet(event, wallet, names)) &&
    (address === undefined || namesAddress(event, address)) &&
    (actor === undefined || isBy(event, actor, names));
};
