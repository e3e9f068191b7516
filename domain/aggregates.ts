import { address } from './address.js';
import { audit } from './audit.js';
import { contract } from './contract.js';
import { credential } from './credential.js';
import { delivery } from './delivery.js';
import { domainName } from './domain-name.js';
import { ledger } from './ledger.js';
import { nonce } from './nonce.js';
import { organization } from './organization.js';
import { token } from './token.js';
import { transaction } from './transaction.js';
import { wallet } from './wallet.js';
import { webhook } from './webhook.js';
import { webhookHeader } from './webhook-header.js';

/** The kinds of streams there are. */
export const aggregates: readonly string[] = [
  organization,
  domainName,
  credential,
  wallet,
  address,
  contract,
  ledger,
  token,
  webhook,
  webhookHeader,
  delivery,
  transaction,
  nonce,
  audit,
].map(({ stream }) => stream);
