import { UsageError } from '../../usage-error.js';
import type { Command } from '../command/command.js';
import { operator, withApp } from '../command/session.js';
import { requireOrganizationId } from './known-organization.js';

export const auditAcceptLoss: Command = {
  words: 'audit accept-loss',
  summary: 'Accept a history, or the seal log, that differs from what was sealed. Every later proof reports it.',
  options: {
    organization: {
      type: 'string',
      value: 'ID|DOMAIN',
      summary: 'Accept the history of this organization as it is.',
    },
    log: {
      type: 'boolean',
      summary: 'Accept a loss in the log of all seals instead of a history; begins a new volume of the log.',
    },
    reason: {
      type: 'string',
      value: 'TEXT',
      summary: 'Why the loss is accepted. The text is stored and signed.',
      required: true,
    },
  },
  run: async (invocation) => {
    const { organization, log, reason = '' } = invocation.options;
    if ((organization === undefined) === (log === undefined))
      throw new UsageError('Specify either --organization or --log');
    if (reason.trim() === '') throw new UsageError('--reason must not be empty');
    await withApp(invocation, async (app) => {
      const { print } = invocation;
      if (organization === undefined) {
        const volume = await app.audit.acceptLoss.ofLog(operator(app), reason);
        return print({ volume, reason }, `The seal log continues in volume ${volume}`);
      }
      const organizationId = await requireOrganizationId(app, organization);
      const { found, known } = await app.audit.acceptLoss.ofHistory(operator(app), organizationId, reason);
      print(
        { organization_id: organizationId, events: found, known_events: known, reason },
        `Accepted ${found} events of ${organizationId}; previously known: ${known ?? 'none'}`,
      );
    });
  },
};
