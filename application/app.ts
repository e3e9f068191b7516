import { projections } from '../projections/index.js';
import { type Access, createAccess } from './access.js';
import { createAddressBook } from './address-book.js';
import { type Addresses, createAddresses } from './addresses.js';
import { type Administration, createAdministration } from './administration.js';
import { createHandle } from './handle.js';
import { createOnce, type Once } from './idempotency.js';
import { createKnownCredentials, type KnownCredentials } from './known-credentials.js';
import { createPageTokens } from './paging.js';
import type { AddressCodecs } from './ports/codec.js';
import type { EventStore } from './ports/event-store.js';
import type { Limiter } from './ports/limiter.js';
import type { ReadModels } from './ports/read-models.js';
import type { System } from './ports/system.js';
import type { Vault } from './ports/vault.js';
import { createProjector, type Projector } from './processes/project.js';
import { createProgress, type Progress } from './progress.js';
import { createStatus, type Status } from './status.js';
import { createWallets, type Wallets } from './wallets.js';

export type Ports = {
  readonly events: EventStore;
  readonly readModels: ReadModels;
  readonly limiter: Limiter;
  readonly vault: Vault;
  readonly codecs: AddressCodecs;
  readonly system: System;
};

/** The whole service without I/O: use cases over ports, and the processes that keep it going. */
export type App = {
  readonly access: Access;
  readonly credentials: KnownCredentials;
  readonly administration: Administration;
  readonly wallets: Wallets;
  readonly addresses: Addresses;
  readonly once: Once;
  readonly progress: Progress;
  readonly projector: Projector;
  readonly status: Status;
  readonly system: System;
};

export const createApp = (ports: Ports): App => {
  const { events, readModels, limiter, vault, system } = ports;
  const handle = createHandle(events, system);
  const progress = createProgress(readModels, system);
  const projector = createProjector({ events, readModels, progress, system, projections });
  const credentials = createKnownCredentials(events, vault);
  const addressBook = createAddressBook(ports);
  return {
    access: createAccess({ credentials, limiter, system }),
    credentials,
    administration: createAdministration({ ...ports, handle }),
    wallets: createWallets({ ...ports, handle, addressBook, pageTokens: createPageTokens(system) }),
    addresses: createAddresses({ events, handle, progress, addressBook }),
    once: createOnce(limiter),
    progress,
    projector,
    status: createStatus({ events, readModels, projector, projections, system }),
    system,
  };
};
