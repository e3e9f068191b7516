import { chains, type Variant } from '../../../domain/variant.js';
import { UsageError } from '../../usage-error.js';
import { oneOf, wholeNumber } from '../command/arguments.js';
import { type Command, NegativeResult } from '../command/command.js';
import { operator, withStores } from '../command/session.js';

const followed = chains.filter(({ surface }) => surface === 'wallet');

/** Finds a followed chain by the letter that stands for it in API paths, such as `c`; upper or lower case. */
const chainOf = (given: string): Variant => {
  const names = followed.map(({ segment }) => segment);
  const wanted = oneOf('<chain>', given.toLowerCase(), names);
  const found = followed.find(({ segment }) => segment === wanted);
  if (!found) throw new UsageError(`Unknown chain ${given}. Chains: ${names.join(', ')}`);
  return found;
};

export const chainRetry: Command = {
  words: 'chain retry',
  parameters: ['<chain>', '<block>'],
  summary: 'Retry a block that was skipped because it could not be read; <block> is its height or hash.',
  options: {},
  run: (invocation) =>
    withStores(invocation, async (app, settle) => {
      const [chain = '', block = ''] = invocation.parameters;
      const found = await settle(await app.chainBlocks.retry(operator(app), chainOf(chain), block));
      const text = `The follower will retry block ${found.number} (${found.hash}). doctor reports the block until it is read.`;
      invocation.print({ number: found.number, hash: found.hash }, text);
    }),
};

export const chainAccept: Command = {
  words: 'chain accept',
  parameters: ['<chain>', '<block>'],
  summary: 'Accept that a final block was replaced, and follow the chain again from <block>; 0 accepts another chain.',
  options: { yes: { type: 'boolean', summary: 'Accept. Without --yes the command only shows what would change.' } },
  run: (invocation) => {
    const { parameters, options, print, open } = invocation;
    const [chain = '', block = ''] = parameters;
    const [variant, from] = [chainOf(chain), wholeNumber('<block>', block, 15)];
    const connected = { ...invocation, open: () => open({ chains: 'configured' }) };
    return withStores(connected, async (app, settle) => {
      const found = await app.chainBlocks.inspect(variant, from);
      const accepted = options.yes !== undefined;
      if (accepted) await settle(await app.chainBlocks.accept(operator(app), variant, found));
      const { number, hash } = found.block;
      print(
        { accepted, number, hash, replacement: found.replacement, from, activities: found.activities },
        [
          `followed: block ${number} is ${hash}`,
          `nodes:    block ${number} is ${found.replacement}`,
          from === 0
            ? 'Records of the followed chain are kept. The other chain is followed from its head, or from its last followed block.'
            : `This removes ${found.activities} wallet activities from block ${from} on and follows these blocks again.`,
          accepted
            ? 'Accepted. The follower continues in its next cycle.'
            : 'Nothing was changed. Pass --yes to accept.',
        ].join('\n'),
      );
      if (!accepted) throw new NegativeResult('Nothing was accepted');
    });
  },
};
