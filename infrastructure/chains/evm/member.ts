import type { Log } from '../../../application/ports/system.js';
import { refuse } from '../../../domain/failure.js';
import { httpTransport } from './http-transport.js';
import { type FaultKind, NodeFault } from './node-fault.js';
import type { Transport, TransportLimits } from './transport.js';
import { webSocketTransport } from './websocket-transport.js';

const firstPauseMs = 100;
const longestPauseMs = 5000;
const resting: readonly FaultKind[] = ['failing', 'busy', 'wrong'];

const transports: Readonly<Record<string, (url: URL, limits: TransportLimits) => Transport>> = {
  'http:': httpTransport,
  'https:': httpTransport,
  'ws:': webSocketTransport,
  'wss:': webSocketTransport,
};

/** A URL may hold a key, so no part of it but the host is ever shown. */
const parseUrl = (given: string): URL => {
  const text = given.replace(/^evm\+/, '');
  const url = URL.canParse(text) ? new URL(text) : null;
  return url && url.protocol in transports
    ? url
    : refuse('INVALID_ARGUMENT', 'a node of an EVM chain needs an address like http://host:8545 or ws://host:8546');
};

/** Some nodes repeat in their errors what they were called by. */
const redactor = ({ username, password, pathname, searchParams }: URL) => {
  const shortest = 6;
  const secrets = [username, password, ...pathname.split('/'), ...searchParams.values()].filter(
    ({ length }) => length >= shortest,
  );
  return (text: string) => secrets.reduce((kept, secret) => kept.replaceAll(secret, '…'), text);
};

/** One configured node: the way to it, how it is, and what it can do. */
export const createMember = (given: string, log: Log, limits: TransportLimits) => {
  const url = parseUrl(given);
  const name = url.host;
  const redact = redactor(url);
  const transport = (transports[url.protocol] ?? httpTransport)(url, limits);
  const can: { blockReceipts?: boolean; traces?: boolean; stateByHash?: boolean } = {};
  let pauseMs = firstPauseMs;
  let restsSince = 0;
  let restsUntil = 0;
  let fault: NodeFault | null = null;
  /** Whether it was seen to serve the chain that the others serve; to be seen again after it was away. */
  let isVetted = false;

  const recover = () => {
    if (fault) log.info({ node: name }, 'the node of the chain answers again');
    fault = null;
    pauseMs = firstPauseMs;
  };
  const rest = (reason: NodeFault, startedAt: number) => {
    // Work that was under way together fails together, and is one failure.
    if (fault && startedAt < restsSince) return;
    if (!fault) log.warn({ node: name, reason: reason.message }, 'a node of the chain is put aside');
    fault = reason;
    if (reason.kind === 'failing') isVetted = false;
    restsSince = performance.now();
    restsUntil = restsSince + Math.max(pauseMs, reason.restMs);
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  };

  return {
    name,
    transport,
    can,
    isVetted: () => isVetted,
    vouch: () => {
      isVetted = true;
    },
    lastFault: () => fault,
    restLeft: () => Math.max(restsUntil - performance.now(), 0),
    /** True while it only stumbled: it may well answer in a moment. */
    isBrieflyAway: () => pauseMs <= firstPauseMs * 8,
    /** Does the work and keeps in mind how the node did. */
    watch: async <T>(work: () => Promise<T>): Promise<T> => {
      const startedAt = performance.now();
      try {
        const done = await work();
        recover();
        return done;
      } catch (error) {
        if (!(error instanceof NodeFault)) throw error;
        const told = new NodeFault(error.kind, redact(error.message), error.restMs);
        if (resting.includes(told.kind)) rest(told, startedAt);
        throw told;
      }
    },
  };
};

export type Member = ReturnType<typeof createMember>;
