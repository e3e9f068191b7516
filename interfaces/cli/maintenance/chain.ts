import { chains, type Variant } from '../../../domain/variant.js';
import { UsageError } from '../../usage-error.js';
import { oneOf, wholeNumber } from '../command/arguments.js';
import { AnswerIsNo, type Command } from '../command/command.js';
import { operator, withStores } from '../command/session.js';

const followed = chains.filter(({ surface }) => surface === 'wallet');

/** Finds a followed chain by its name in paths or its tag. */
const chainOf = (given: string): Variant => {
  const names = followed.map(({ segment }) => segment);
  const wanted = oneOf('<chain>', given.toLowerCase(), names);
  const found = followed.find(({ segment }) => segment === wanted);
  if (!found) throw new UsageError(`there is no chain ${given}`);
  return found;
};

export const chainRetry: Command = {
  words: 'chain retry',
  parameters: ['<chain>', '<block>'],
  summary: 'Read a block again that could not be read and was left out; <block> is its height or its hash.',
  options: {},
  run: (invocation) =>
    withStores(invocation, async (app, settle) => {
      const [chain = '', block = ''] = invocation.parameters;
      const found = await settle(await app.chainBlocks.retry(operator(app), chainOf(chain), block));
      const text = `the follower reads block ${found.number} (${found.hash}) again; doctor names it while that fails`;
      invocation.print({ number: found.number, hash: found.hash }, text);
    }),
};

export const chainAccept: Command = {
  words: 'chain accept',
  parameters: ['<chain>', '<block>'],
  summary:
    'Accept that a final block was replaced, and follow the chain anew from <block> on; 0 accepts another chain.',
  options: { yes: { type: 'boolean', summary: 'Accept; without it the command only shows what would change.' } },
  run: (invocation) => {
    const { parameters, options, print, open } = invocation;
    const [chain = '', block = ''] = parameters;
    const [variant, from] = [chainOf(chain), wholeNumber('<block>', block, 15)];
    const connected = { ...invocation, open: () => open({ chains: 'configured' }) };
    return withStores(connected, async (app, settle) => {
      const found = await app.chainBlocks.look(variant, from);
      const accepted = options.yes !== undefined;
      if (accepted) await settle(await app.chainBlocks.accept(operator(app), variant, found));
      const { number, hash } = found.block;
      print(
        { accepted, number, hash, replacement: found.replacement, from, activities: found.activities },
        [
          `followed: block ${number} is ${hash}`,
          `nodes:    block ${number} is ${found.replacement}`,
          from === 0
            ? 'the records of the followed chain stay, and the other chain is followed from its head or where it was left'
            : `transfers of ${found.activities} wallets and blocks from ${from} on would be removed, and blocks taken anew`,
          accepted ? 'accepted; the follower goes on at its next turn' : 'nothing was changed; --yes accepts this',
        ].join('\n'),
      );
      if (!accepted) throw new AnswerIsNo('nothing was accepted');
    });
  },
};
