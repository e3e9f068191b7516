import type { Command } from '../command/command.js';
import { operator } from '../command/session.js';

export const masterKeyRotate: Command = {
  words: 'master-key rotate',
  summary: 'Re-encrypt every key of the vault with a new master key; see docs/security.md for the steps.',
  options: {},
  run: async ({ open, print }) => {
    const { app, close } = await open({ newMasterKey: true });
    try {
      const keys = await app.maintenance.rotateMasterKey(operator(app));
      print({ keys }, `Re-encrypted ${keys} keys with the new master key`);
    } finally {
      await close();
    }
  },
};
