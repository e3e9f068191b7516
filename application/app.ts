import { projections } from '../projections/index.js';
import { type Access, createAccess } from './access.js';
import { createAddressBook } from './address-book.js';
import { type Addresses, createAddresses } from './addresses.js';
import { type Credentials, createCredentials } from './credentials.js';
import { createHandle } from './handle.js';
import { createOnce, type Once } from './idempotency.js';
import { keepTrue } from './known.js';
import { createKnownCredentials, type KnownCredentials } from './known-credentials.js';
import { createKnownLimits } from './known-limits.js';
import { createOrganizations, type Organizations } from './organizations.js';
import { createLists, createPageTokens } from './paging.js';
import type { AddressCodecs } from './ports/codec.js';
import type { EventStore } from './ports/event-store.js';
import type { Limiter } from './ports/limiter.js';
import type { ReadModels } from './ports/read-models.js';
import type { StateStore } from './ports/state.js';
import type { System } from './ports/system.js';
import type { Vault } from './ports/vault.js';
import { createProjector, type Projector } from './processes/project.js';
import { createShredder } from './processes/shred-secrets.js';
import { createProgress, type Progress } from './progress.js';
import { createRateLimits, type RateLimits } from './rate-limits.js';
import { createStatus, type Status } from './status.js';
import { createWallets, type Wallets } from './wallets.js';

export type Ports = {
  readonly events: EventStore;
  readonly readModels: ReadModels;
  readonly limiter: Limiter;
  readonly state: StateStore;
  readonly vault: Vault;
  readonly codecs: AddressCodecs;
  readonly system: System;
};

/** The whole service without I/O: use cases over ports, and the processes that keep it going. */
export type App = {
  readonly access: Access;
  readonly knownCredentials: KnownCredentials;
  readonly organizations: Organizations;
  readonly credentials: Credentials;
  readonly rateLimits: RateLimits;
  readonly wallets: Wallets;
  readonly addresses: Addresses;
  readonly once: Once;
  readonly progress: Progress;
  readonly projector: Projector;
  /** Keeps what this node remembers true until the signal. */
  readonly keepTrue: (signal: AbortSignal) => Promise<void>;
  readonly shredSecrets: (signal: AbortSignal) => Promise<void>;
  readonly changeMasterKey: Vault['changeMasterKey'];
  readonly status: Status;
  readonly system: System;
};

export const createApp = (ports: Ports): App => {
  const { events, readModels, limiter, state, vault, system } = ports;
  const handle = createHandle(events, system);
  const progress = createProgress(readModels, system);
  const projector = createProjector({ events, readModels, progress, system, projections });
  const knownCredentials = createKnownCredentials(events, vault);
  const limits = createKnownLimits(events);
  const pageTokens = createPageTokens(system);
  const lists = createLists(readModels, pageTokens);
  const addressBook = createAddressBook(ports);
  return {
    access: createAccess({ credentials: knownCredentials, limits, limiter, system }),
    knownCredentials,
    organizations: createOrganizations({ ...ports, handle }),
    credentials: createCredentials({ ...ports, handle, lists, known: knownCredentials }),
    rateLimits: createRateLimits({ handle, readModels }),
    wallets: createWallets({ ...ports, handle, addressBook, pageTokens }),
    addresses: createAddresses({ events, handle, progress, addressBook }),
    once: createOnce(limiter),
    progress,
    projector,
    keepTrue: keepTrue(events, [knownCredentials, limits]),
    shredSecrets: createShredder({ events, state, vault }),
    changeMasterKey: vault.changeMasterKey,
    status: createStatus({ events, readModels, projector, projections, system }),
    system,
  };
};
