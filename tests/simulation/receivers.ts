import type { PostResult, Sender, WebhookMessage } from '../../application/ports/sender.js';
import type { Gate } from '../support/simulation/gate.js';
import type { World } from './world.js';

/** Behaviours of a webhook receiver. */
const moods = ['well', 'refusing', 'hanging', 'answering too late'] as const;
export type Mood = (typeof moods)[number];

const answerOf = (status: number | null, failure = ''): PostResult => ({
  status,
  failure,
  durationMs: 1,
  answer: '',
  retryAt: null,
});

/**
 * Webhook receivers of all customers. They record every message, even if they refuse it or answer too late; only a
 * receiver that hangs records none.
 */
export const createReceivers = (world: World) => {
  const accepted = new Map<string, Set<string>>();
  const arrived = new Map<string, Map<string, WebhookMessage>>();
  const moodOf = new Map<string, Mood>();
  const note = <T>(of: Map<string, T>, url: string, empty: T) => {
    const found = of.get(url) ?? empty;
    of.set(url, found);
    return found;
  };
  const receive = (message: WebhookMessage): PostResult => {
    const mood = moodOf.get(message.url) ?? 'well';
    if (mood === 'hanging') return answerOf(null, 'timed out');
    note(arrived, message.url, new Map<string, WebhookMessage>()).set(message.id, message);
    if (mood === 'refusing') return answerOf(500);
    note(accepted, message.url, new Set<string>()).add(message.id);
    // Receivers in both remaining moods have processed the message, but an answer that comes too late is lost.
    return mood === 'answering too late' ? answerOf(null, 'timed out') : answerOf(200);
  };
  return {
    moods,
    setMood: (url: string, mood: Mood) => {
      moodOf.set(url, mood);
      world.note(`receiver ${url} is ${mood}`);
    },
    heal: () => moodOf.clear(),
    acceptedBy: (url: string): ReadonlySet<string> => accepted.get(url) ?? new Set(),
    arrivedAt: (url: string): ReadonlyMap<string, WebhookMessage> => arrived.get(url) ?? new Map(),
    open: (gate: Gate): Sender => ({
      check: () => null,
      checkHeader: () => null,
      post: (message) =>
        gate.call('sender.post', () => receive(message)).catch(() => answerOf(null, 'connection reset')),
      close: async () => undefined,
    }),
  };
};

export type Receivers = ReturnType<typeof createReceivers>;
