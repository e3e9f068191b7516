import { webhook } from '../../../domain/aggregates/webhook.js';
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
  check(webhook, {
    states: {
      unknown: [],
      active: [registered],
      disabled: [registered, disabled],
      revived: [registered, disabled, revived],
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
        when: { active: emits(removed), disabled: emits(removed), revived: emits(removed), otherwise: missing },
      },
      {
        asks: 'Disable',
        command: { type: 'Disable', data: broken },
        when: { active: emits(disabled), revived: emits(disabled), otherwise: nothing },
      },
      {
        asks: 'Revive',
        command: { type: 'Revive', data: named },
        when: { active: nothing, disabled: emits(revived), revived: nothing, otherwise: missing },
      },
      {
        asks: 'RequireRegistered',
        command: { type: 'RequireRegistered', data: named },
        when: { active: nothing, disabled: nothing, revived: nothing, otherwise: missing },
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
