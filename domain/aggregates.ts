import { address } from './address.js';
import { credential } from './credential.js';
import { domainName } from './domain-name.js';
import { organization } from './organization.js';
import { wallet } from './wallet.js';

/** The kinds of streams there are. */
export const aggregates: readonly string[] = [organization, domainName, credential, wallet, address].map(
  ({ stream }) => stream,
);
