import { session } from './aggregates/access/session.js';
import { address } from './aggregates/address.js';
import { sealLog } from './aggregates/audit/seal-log.js';
import { audit } from './aggregates/audit.js';
import { block } from './aggregates/chain/block.js';
import { contract } from './aggregates/contract.js';
import { credential } from './aggregates/credential.js';
import { delivery } from './aggregates/delivery.js';
import { domainName } from './aggregates/domain-name.js';
import { gatewayToken } from './aggregates/gateway/gateway-token.js';
import { drift } from './aggregates/ledger/drift.js';
import { historyImport } from './aggregates/ledger/history-import.js';
import { ledger } from './aggregates/ledger.js';
import { nonce } from './aggregates/nonce.js';
import { organization } from './aggregates/organization.js';
import { refresh, refreshPart } from './aggregates/refresh.js';
import { removal } from './aggregates/removal.js';
import { clock } from './aggregates/system/clock.js';
import { maintenance } from './aggregates/system/maintenance.js';
import { token } from './aggregates/token.js';
import { transaction } from './aggregates/transaction.js';
import { wallet } from './aggregates/wallet.js';
import { webhook } from './aggregates/webhook.js';
import { webhookHeader } from './aggregates/webhook-header.js';

const deciders = [
  organization,
  domainName,
  credential,
  gatewayToken,
  session,
  wallet,
  address,
  removal,
  contract,
  ledger,
  drift,
  historyImport,
  block,
  refresh,
  refreshPart,
  token,
  webhook,
  webhookHeader,
  delivery,
  transaction,
  nonce,
  audit,
  sealLog,
  clock,
  maintenance,
];

/** Stream names of all aggregates, such as `wallet`. */
export const aggregates: readonly string[] = deciders.map(({ stream }) => stream);

type Evolve = (typeof deciders)[number]['evolve'];
type KeysOf<H> = H extends unknown ? keyof H & string : never;
type DataIn<H, T extends string> = H extends Readonly<Record<T, (state: never, data: infer D) => unknown>> ? D : never;

/** Type of an event that this release writes. */
export type EventType = KeysOf<Evolve>;
/** Data of an event type in the shape that this release writes. */
export type EventData<T extends EventType> = DataIn<Evolve, T>;

/** Every event type that this release writes. */
export const eventTypes: readonly string[] = deciders.flatMap(({ evolve }) => Object.keys(evolve));
