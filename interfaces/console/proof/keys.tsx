import { sha256 } from '../../cli/audit/evidence/verify.html';
import { Copyable } from '../parts/copyable.js';
import { Moment } from '../parts/moment.js';
import { ProblemNote } from '../parts/problem.js';
import { useLoaded } from '../parts/use-loaded.js';

type Key = { readonly key_id: string; readonly algorithm: string; readonly public_key: string };
export type PublishedKey = Key & { readonly fingerprint: string };
type LogHead = { readonly size: number; readonly root: string; readonly time: string };

const readDocument = async <T,>(path: string, signal: AbortSignal): Promise<T> => {
  const response = await fetch(path, { signal });
  if (!response.ok) throw new Error(`${path} answered with HTTP status ${response.status}`);
  return (await response.json()) as T;
};

/**
 * Reads the public keys that verify seals, and computes their fingerprints in the browser: the SHA-256 of a key without
 * its prefix.
 */
export const readKeys = async (signal: AbortSignal): Promise<readonly PublishedKey[]> => {
  const { keys } = await readDocument<{ readonly keys: readonly Key[] }>('/.well-known/audit-keys', signal);
  return Promise.all(
    keys.map(async (key) => {
      const digest = await sha256(key.public_key.slice('audpk_'.length));
      return { ...key, fingerprint: digest.match(/.{4}/g)?.join(' ') ?? '' };
    }),
  );
};

export const Keys = ({ keys }: { readonly keys: readonly PublishedKey[] }) => {
  const { value: head, error } = useLoaded((signal) => readDocument<LogHead>('/.well-known/audit-log', signal), []);
  return (
    <>
      <dl>
        {keys.map(({ key_id, algorithm, public_key, fingerprint }) => (
          <>
            <dt key={key_id}>{algorithm}</dt>
            <dd>
              <Copyable text={public_key} label="public key" />
              <div class="quiet">
                fingerprint <code class="fingerprint">{fingerprint}</code>
              </div>
            </dd>
          </>
        ))}
        {head && head.size > 0 && (
          <>
            <dt>seal log</dt>
            <dd>
              size {head.size}, <Moment iso={head.time} />, root <Copyable text={head.root} label="root" />
            </dd>
          </>
        )}
      </dl>
      <ProblemNote error={error} />
    </>
  );
};
