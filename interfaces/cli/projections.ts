import { type Command, table } from './command.js';

const seconds = (value: number) => `${value.toFixed(1)} s`;

export const projectionsStatus: Command = {
  words: 'projections status',
  summary: 'Show how far the read models are behind the events, and the followers behind their chains.',
  options: {},
  run: async ({ open, print }) => {
    const { app, close } = await open();
    try {
      const [projections, followers] = [await app.status.projections(), await app.status.followers()];
      const rows = projections.map(({ name, position, lag, lagSeconds, stopped }) => ({
        projection: name,
        position: String(position),
        behind: `${lag} events`,
        since: seconds(lagSeconds),
        stopped: stopped ?? '',
      }));
      const chains = followers.map(({ chain, height, head, lagSeconds }) => ({
        chain,
        height: String(height),
        behind: `${Math.max(0, head - height)} blocks`,
        since: seconds(lagSeconds),
      }));
      print(
        { projections, followers },
        [table(rows, 'there are no projections'), '', table(chains, 'no chain was followed yet')].join('\n'),
      );
    } finally {
      await close();
    }
  },
};
