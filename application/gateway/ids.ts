import type { System } from '../ports/system.js';

const digits = 32;

/** 128 random bits as a quantity; all of one length, so that messages that differ in nothing else are as long as each other. */
export const newId = (system: System): string => {
  for (;;) {
    const random = system.secret().slice(0, digits);
    if (!random.startsWith('0')) return `0x${random}`;
  }
};
