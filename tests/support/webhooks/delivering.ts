import type { App } from '../../../application/app.js';
import type { Context } from '../../../application/commands/handle.js';
import type { Ports } from '../../../application/composition/service-ports.js';
import type { Job, JobOutcome, Jobs } from '../../../application/ports/jobs.js';
import type { Sender } from '../../../application/ports/sender.js';
import { deliveryIdFor } from '../../../application/webhooks/deliveries.js';
import { composeApp, contextOf, openStores, runUntilStopped, unusedSender } from '../following/following.js';
import { testSystem } from '../silent.js';

type Script = {
  /** Names of processes that run besides the projector and the deliverer. */
  readonly processes?: readonly string[];
  readonly sender: Partial<Sender>;
  readonly queue?: Partial<Pick<Jobs, 'put' | 'remove'>>;
  readonly system?: Ports['system'];
} & Partial<Pick<Ports, 'challengeEndpoints' | 'signer'>>;

const everyHistory = { startTime: undefined, endTime: undefined };

/** Starts a deliverer with one webhook; the test runs each job itself. */
export const startDelivering = async ({ processes = [], sender, queue, system = testSystem, ...given }: Script) => {
  const context = contextOf(`org_${'a'.repeat(32)}`);
  const stores = await openStores();
  const stop = new AbortController();
  let run: (job: Job) => Promise<JobOutcome>;
  const jobs: Jobs = {
    ...stores.jobs,
    ...queue,
    work: async (work, signal) => {
      run = work.run;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
  };
  const app: App = composeApp(stores, { ...given, jobs, sender: { ...unusedSender, ...sender }, system });
  const names = ['projector', 'deliverer', ...processes];
  const running = Promise.all(names.map((name) => runUntilStopped(app, name, stop.signal)));
  const caughtUp = async () => {
    const head = await stores.events.head();
    while ((await app.progress.refresh()) < head) await testSystem.breathe();
  };
  const register = async (by: Context) => {
    const wanted = { walletId: undefined, endpoint: 'https://receiver.example/', confirmation: 1 };
    const { answer } = await app.webhooks.register(by, wanted);
    await caughtUp();
    return answer.webhook_id;
  };
  const webhookId = await register(context);
  let asked = 0;

  return {
    context,
    stores,
    app,
    jobs,
    webhookId,
    caughtUp,
    register,
    /** Requests a delivery to the webhook `to`, even if the organization of `by` does not own that webhook. */
    request: async (by = context, to = webhookId, data = {}) => {
      const deliveryId = deliveryIdFor(testSystem, by, [String(asked++)]);
      const found = await app.webhooks.find(by, to);
      await app.deliveries.request(by, found ?? { webhook_id: to, disabled: false }, [{ deliveryId, data }]);
      return deliveryId;
    },
    run: (id: string, to = webhookId) => run({ id, organization: context.organizationId, lane: to }),
    history: async (deliveryId: string) => {
      const filter = { webhookId, ...everyHistory };
      const { documents } = await app.deliveries.list(context, filter, { size: 100, token: undefined });
      return documents.find(({ webhook_history_id }) => webhook_history_id === deliveryId);
    },
    isDisabled: async () => (await app.webhooks.find(context, webhookId))?.disabled,
    stop: () => stop.abort(),
    close: async () => {
      stop.abort();
      await running;
      await stores.close();
    },
  };
};
