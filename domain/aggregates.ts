import { address } from './aggregates/address.js';
import { sealLog } from './aggregates/audit/seal-log.js';
import { audit } from './aggregates/audit.js';
import { block } from './aggregates/chain/block.js';
import { contract } from './aggregates/contract.js';
import { credential } from './aggregates/credential.js';
import { delivery } from './aggregates/delivery.js';
import { domainName } from './aggregates/domain-name.js';
import { gatewayToken } from './aggregates/gateway/gateway-token.js';
import { ledger } from './aggregates/ledger.js';
import { nonce } from './aggregates/nonce.js';
import { organization } from './aggregates/organization.js';
import { refresh, refreshPart } from './aggregates/refresh.js';
import { removal } from './aggregates/removal.js';
import { clock } from './aggregates/system/clock.js';
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
  wallet,
  address,
  removal,
  contract,
  ledger,
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
];

/** Stream kinds of all aggregates. */
export const aggregates: readonly string[] = deciders.map(({ stream }) => stream);

/** Types of all events that are ever stored. */
export const eventTypes: readonly string[] = deciders.flatMap(({ evolve }) => Object.keys(evolve));
