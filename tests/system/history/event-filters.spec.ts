import assert from 'node:assert/strict';
import type { EventRecord } from '../../../application/audit/event-record.js';
import { engines } from '../../support/engines/engines.js';
import type { Client } from '../../support/service/client.js';
import { call, problemIn } from '../../support/service/http.js';
import { clientOf, newOrganization, type Service, startService } from '../../support/service/service.js';

type Request = Parameters<Client['admin']['listEvents']>[0];

for (const engine of engines)
  describe(`filters of ListEvents on ${engine.name}`, () => {
    let service: Service;
    let tenant: Awaited<ReturnType<typeof newOrganization>>;
    let all: EventRecord[];
    const page = (request: Request) => clientOf(service, tenant).admin.listEvents(request);
    const walk = async (request: Request) => {
      const events: EventRecord[] = [];
      let page_token = '';
      do {
        const found = await page({ ...request, page_token });
        events.push(...found.events);
        page_token = found.pagination.next_page_token;
      } while (page_token !== '');
      return events;
    };
    before(async () => {
      service = await startService({ on: engine });
      tenant = await newOrganization(service.home, 'filtered');
      const { c } = clientOf(service, tenant);
      for (const name of ['one', 'two', 'three']) {
        const { wallet_id } = await c.registerWallet({ name }, { 'x-request-id': `made-${name}` });
        await c.registerWebhook({ wallet_id, webhook_endpoint: 'https://example.com/hook', confirmation: 1 });
      }
      all = await walk({});
    });
    after(() => service.stop());

    it('have no effect on the order and the number of events by default', () => {
      const positions = all.map(({ position }) => position);
      assert.deepEqual(
        positions,
        positions.toSorted((a, b) => b - a),
      );
      assert.equal(all.length, 8);
    });

    it('list the oldest events first if asked, in pages of any size', async () => {
      for (const page_size of [1, 3, 8, 100])
        assert.deepEqual(await walk({ order: 'asc', page_size }), all.toReversed(), `pages of ${page_size}`);
    });

    it('select by type, actor, wallet, stream and correlation id, alone and together', async () => {
      const wallets = all.filter(({ type }) => type === 'WalletRegistered');
      assert.equal(wallets.length, 3);
      const [newest] = wallets;
      assert.ok(newest);
      const { walletId: wallet_id } = newest.data as { walletId: string };
      const cases: [Request, (event: EventRecord) => boolean][] = [
        [{ types: ['WalletRegistered'] }, ({ type }) => type === 'WalletRegistered'],
        [{ types: ['WalletRegistered', 'WebhookRegistered'] }, ({ type }) => /^W/.test(type)],
        [{ actor: newest.actor.id }, ({ actor }) => actor.id === newest.actor.id],
        [{ actor: 'operator' }, ({ actor }) => actor.kind === 'operator'],
        [{ wallet_id }, ({ data }) => 'walletId' in data && data.walletId === wallet_id],
        [{ stream: newest.stream }, ({ stream }) => stream === newest.stream],
        [{ correlation_id: newest.correlation_id }, (event) => event.correlation_id === newest.correlation_id],
        [
          { wallet_id, types: ['WebhookRegistered'] },
          ({ type, data }) => type.startsWith('Webhook') && 'walletId' in data && data.walletId === wallet_id,
        ],
      ];
      for (const [request, isWanted] of cases) {
        const expected = all.filter(isWanted);
        assert.ok(expected.length > 0 && expected.length < all.length, JSON.stringify(request));
        assert.deepEqual(await walk({ ...request, page_size: 1 }), expected, JSON.stringify(request));
        assert.deepEqual(await walk({ ...request, order: 'asc' }), expected.toReversed(), JSON.stringify(request));
      }
      assert.deepEqual(await walk({ wallet_id: 'wal_none' }), []);
    });

    it('select the events between two moments, both inclusive', async () => {
      const [, second, , , , sixth] = all;
      assert.ok(second && sixth);
      for (const [from, as_of] of [
        [sixth.position, second.position],
        [String(sixth.position), String(second.position)],
      ])
        for (const order of ['asc', 'desc'] as const) {
          const found = await walk({ from, as_of, order, page_size: 2 });
          assert.deepEqual(order === 'asc' ? found.toReversed() : found, all.slice(1, 6));
        }
      const { commit_time } = sixth;
      const since = all.filter((event) => event.commit_time >= commit_time);
      assert.deepEqual(await walk({ from: commit_time }), since);
    });

    it('see only what the caller sees, so that a client cannot guess the names of operators', async () => {
      const admin = clientOf(service).admin;
      const { events } = await admin.listEvents({ organization_id: tenant.organizationId, page_size: 100 });
      const issued = events.find(({ type }) => type === 'CredentialIssued');
      assert.ok(issued && issued.actor.id !== '');
      const asked = { actor: issued.actor.id };
      const asAdmin = await admin.listEvents({ organization_id: tenant.organizationId, ...asked });
      assert.ok(asAdmin.events.length > 0);
      assert.deepEqual(await walk(asked), []);
      assert.deepEqual(await walk({ stream: issued.stream }), []);
    });

    it('reject unknown types, orders and tokens of other filters', async () => {
      const { pagination } = await page({ types: ['WalletRegistered'], page_size: 1 });
      const page_token = pagination.next_page_token;
      const cases: [object, RegExp][] = [
        [{ types: ['WalletRegisterd'] }, /Did you mean WalletRegistered\?/],
        [{ types: ['Nonsense'] }, /docs\/events\.md/],
        [{ types: [] }, /types/],
        [{ order: 'newest' }, /asc, desc/],
        [{ from: 'yesterday' }, /^from must be an event position/],
        [{ types: ['WalletRegistered'], order: 'asc', page_size: 1, page_token }, /page_token/],
        [{ types: ['WebhookRegistered'], page_size: 1, page_token }, /page_token/],
      ];
      for (const [request, detail] of cases) {
        const answer = await call(service.url, tenant, '/v1/admin/ListEvents', request);
        assert.deepEqual([answer.status, problemIn(answer).code], [400, 'INVALID_ARGUMENT'], JSON.stringify(request));
        assert.match(`${problemIn(answer).detail} ${JSON.stringify(problemIn(answer).errors)}`, detail);
      }
    });
  });
