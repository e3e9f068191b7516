import { createAddressMap } from './address-map.js';

/** Which tokens were imported for which addresses, by whom; holders are known by their numbers. */
export const createImports = (seed: number) => {
  const tokens = new Map<string, ReturnType<typeof createAddressMap>>();
  return {
    add: (contract: string, address: string, holder: number) => {
      const importers = tokens.get(contract) ?? createAddressMap(seed);
      tokens.set(contract, importers);
      importers.add(address, holder);
    },
    /** Whoever gives up an address gives up all that was imported for it. */
    remove: (address: string, holder: number) => {
      for (const importers of tokens.values()) importers.remove(address, holder);
    },
    has: (contract: string) => tokens.has(contract),
    isImported: (contract: string, address: string, holder: number) =>
      tokens.get(contract)?.values(address).includes(holder) === true,
  };
};
