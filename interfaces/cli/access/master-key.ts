import type { Command } from '../command/command.js';

export const masterKeyRotate: Command = {
  words: 'master-key rotate',
  summary: 'Wrap every key of the vault under a new master key; docs/security.md has the steps.',
  options: {},
  run: async ({ open, print }) => {
    const { app, close } = await open({ newMasterKey: true });
    try {
      const keys = await app.changeMasterKey();
      print({ keys }, `${keys} keys are wrapped under the new master key`);
    } finally {
      await close();
    }
  },
};
