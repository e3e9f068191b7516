import { type WebhookEvent, webhook } from '../../../domain/aggregates/webhook.js';
import { webhookHeader } from '../../../domain/aggregates/webhook-header.js';
import { check, emits, nothing, refused } from '../../support/histories/matrix.js';

describe('a webhook', () => {
  const named = { webhookId: 'whk_1' };
  const data = { ...named, walletId: 'wal_1', endpoint: 'https://a.example/', confirmation: 3, sealedSecret: 'sealed' };
  const registered = { type: 'WebhookRegistered', data } as const;
  const broken = { ...named, reason: 'gone' };
  const disabled = { type: 'WebhookDisabled', data: broken } as const;
  const revived = { type: 'WebhookRevived', data: named } as const;
  const removed = { type: 'WebhookRemoved', data: named } as const;
  const missing = refused('NOT_FOUND', 'Webhook not found: whk_1');
  const { walletId, ...ofEveryWallet } = data;
  const every = { ...ofEveryWallet, confirmation: 0 };
  const previousSecret = { sealed: 'sealed before', until: 1000 };
  const secrets = { ...named, sealedSecret: 'sealed anew', previousSecret };
  const rotated = { type: 'WebhookSecretRotated', data: secrets } as const;
  const moved = { endpoint: 'https://b.example/', sealedSecret: 'sealed for b', replaces: 'sealed' };
  const { replaces, ...target } = moved;
  const notificationTypes = ['NOTIFICATION_TYPE_HISTORY_SEALED'];
  const changes = { confirmation: 5, notificationTypes, final: true } as const;
  const updated = { type: 'WebhookUpdated', data: { ...data, ...changes } } as const;
  const concurrent = refused('CONFLICT', 'The resource was modified concurrently. Retry the request.');
  const off = { type: 'WebhookDisabled', data: { ...named, reason: 'the organization disabled it' } } as const;
  const afterRotation = { ...data, sealedSecret: 'sealed anew', previousSecret };
  const asked = (settings: object) => ({ type: 'Update', data: { ...named, ...settings } }) as const;
  const emitsUpdated = (settings: object) => emits({ type: 'WebhookUpdated', data: { ...data, ...settings } } as const);
  check(webhook, {
    states: {
      unknown: [],
      active: [registered],
      disabled: [registered, disabled],
      revived: [registered, disabled, revived],
      updated: [registered, updated],
      rotated: [registered, rotated],
      removed: [registered, removed],
      'removed while disabled': [registered, disabled, removed],
    },
    rows: [
      {
        asks: 'Register',
        command: { type: 'Register', data },
        when: { unknown: emits(registered), otherwise: nothing },
      },
      {
        asks: 'Register for every wallet',
        command: { type: 'Register', data: every },
        when: { unknown: emits({ type: 'WebhookRegistered', data: every } as const), otherwise: nothing },
      },
      {
        asks: 'Remove',
        command: { type: 'Remove', data: named },
        when: { unknown: missing, removed: missing, 'removed while disabled': missing, otherwise: emits(removed) },
      },
      {
        asks: 'Disable',
        command: { type: 'Disable', data: broken },
        when: {
          active: emits(disabled),
          revived: emits(disabled),
          updated: emits(disabled),
          rotated: emits(disabled),
          otherwise: nothing,
        },
      },
      {
        asks: 'Revive',
        command: { type: 'Revive', data: named },
        when: {
          unknown: missing,
          disabled: emits(revived),
          removed: missing,
          'removed while disabled': missing,
          otherwise: nothing,
        },
      },
      {
        asks: 'RequireRegistered',
        command: { type: 'RequireRegistered', data: named },
        when: { unknown: missing, removed: missing, 'removed while disabled': missing, otherwise: nothing },
      },
      {
        asks: 'RequireActive',
        command: { type: 'RequireActive', data: named },
        when: {
          unknown: missing,
          disabled: refused(
            'FAILED_PRECONDITION',
            'Webhook is disabled: whk_1. Enable it with UpdateWebhook {"disabled": false}.',
          ),
          removed: missing,
          'removed while disabled': missing,
          otherwise: nothing,
        },
      },
      {
        asks: 'Update with new settings',
        command: asked(changes),
        when: {
          unknown: missing,
          updated: nothing,
          rotated: emits({ type: 'WebhookUpdated', data: { ...afterRotation, ...changes } } as const),
          removed: missing,
          'removed while disabled': missing,
          otherwise: emits(updated),
        },
      },
      {
        asks: 'Update with the settings of the registration',
        command: asked({ confirmation: 3, final: false, disabled: undefined }),
        when: {
          unknown: missing,
          updated: emitsUpdated({ notificationTypes }),
          removed: missing,
          'removed while disabled': missing,
          otherwise: nothing,
        },
      },
      {
        asks: 'Update to another endpoint',
        command: asked({ moved }),
        when: {
          unknown: missing,
          updated: emitsUpdated({ ...changes, ...target }),
          rotated: concurrent,
          removed: missing,
          'removed while disabled': missing,
          otherwise: emitsUpdated(target),
        },
      },
      {
        asks: 'Update to another endpoint after a rotation',
        command: asked({ moved: { ...moved, replaces: 'sealed anew', previousSecret } }),
        when: {
          unknown: missing,
          rotated: emitsUpdated({ ...target, previousSecret }),
          removed: missing,
          'removed while disabled': missing,
          otherwise: concurrent,
        },
      },
      {
        asks: 'Update to disable',
        command: asked({ disabled: true }),
        when: {
          unknown: missing,
          disabled: nothing,
          removed: missing,
          'removed while disabled': missing,
          otherwise: emits(off),
        },
      },
      {
        asks: 'Update to enable with a new confirmation',
        command: asked({ disabled: false, confirmation: 9 }),
        when: {
          unknown: missing,
          active: emitsUpdated({ confirmation: 9 }),
          disabled: emits<WebhookEvent>({ type: 'WebhookUpdated', data: { ...data, confirmation: 9 } }, revived),
          revived: emitsUpdated({ confirmation: 9 }),
          updated: emitsUpdated({ ...changes, confirmation: 9 }),
          rotated: emits({ type: 'WebhookUpdated', data: { ...afterRotation, confirmation: 9 } } as const),
          otherwise: missing,
        },
      },
      {
        asks: 'RotateSecret',
        command: { type: 'RotateSecret', data: { ...secrets, replaces } },
        when: {
          unknown: missing,
          rotated: concurrent,
          removed: missing,
          'removed while disabled': missing,
          otherwise: emits(rotated),
        },
      },
    ],
  });
});

describe('a webhook header', () => {
  const data = { headerId: 'whh_1', webhookId: 'whk_1', name: 'x-environment', sealedValue: 'sealed' };
  const ofEvery = { headerId: 'whh_1', name: 'x-environment', sealedValue: 'sealed' };
  const registered = { type: 'WebhookHeaderRegistered', data } as const;
  const removed = { type: 'WebhookHeaderRemoved', data: { headerId: 'whh_1' } } as const;
  const missing = refused('NOT_FOUND', 'Webhook header not found: whh_1');
  check(webhookHeader, {
    states: { unknown: [], registered: [registered], removed: [registered, removed] },
    rows: [
      {
        asks: 'Register',
        command: { type: 'Register', data },
        when: { unknown: emits(registered), otherwise: nothing },
      },
      {
        asks: 'Register for every webhook',
        command: { type: 'Register', data: ofEvery },
        when: { unknown: emits({ type: 'WebhookHeaderRegistered', data: ofEvery } as const), otherwise: nothing },
      },
      {
        asks: 'Remove',
        command: { type: 'Remove', data: { headerId: 'whh_1' } },
        when: { registered: emits(removed), otherwise: missing },
      },
      {
        asks: 'RemoveWithWebhook',
        command: { type: 'RemoveWithWebhook', data: { headerId: 'whh_1' } },
        when: { registered: emits(removed), otherwise: nothing },
      },
    ],
  });
});
