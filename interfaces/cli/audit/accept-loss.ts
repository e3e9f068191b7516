import { UsageError } from '../../usage-error.js';
import type { Command } from '../command/command.js';
import { operator, withApp } from '../command/session.js';
import { knownId } from './known-organization.js';

export const auditAcceptLoss: Command = {
  words: 'audit accept-loss',
  summary: 'Go on with a history, or the log of seals, that is not what was sealed; every later proof tells of it.',
  options: {
    organization: {
      type: 'string',
      value: 'ID|DOMAIN',
      summary: 'The organization whose history is accepted as it is.',
    },
    log: { type: 'boolean', summary: 'Begin a new volume of the log of all seals instead.' },
    reason: { type: 'string', value: 'TEXT', summary: 'Why; it is kept and signed.', required: true },
  },
  run: async (invocation) => {
    const { organization, log, reason = '' } = invocation.options;
    if ((organization === undefined) === (log === undefined)) throw new UsageError('give --organization or --log');
    if (reason.trim() === '') throw new UsageError('--reason must say why');
    await withApp(invocation, async (app) => {
      const { print } = invocation;
      if (organization === undefined) {
        const volume = await app.audit.acceptLoss.ofLog(operator(app), reason);
        return print({ volume, reason }, `the log of seals goes on in volume ${volume}`);
      }
      const organizationId = await knownId(app, organization);
      const { found, known } = await app.audit.acceptLoss.ofHistory(operator(app), organizationId, reason);
      print(
        { organization_id: organizationId, events: found, known_events: known, reason },
        `${found} events of ${organizationId} are accepted as they are; ${known ?? 'none'} were known`,
      );
    });
  },
};
