import type { System } from '../ports/system.js';

const digits = 32;

/**
 * Returns 128 random bits as a quantity. All ids have the same length, so that notifications that differ only in the id
 * have equal length.
 */
export const newId = (system: System): string => {
  for (;;) {
    const random = system.secret().slice(0, digits);
    if (!random.startsWith('0')) return `0x${random}`;
  }
};
