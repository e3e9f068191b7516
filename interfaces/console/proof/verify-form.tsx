import { useRef, useState } from 'preact/hooks';
import { ProblemNote } from '../parts/problem.js';
import { client } from '../session/session.js';
import { filesOf, type Given, givenBy, type Result, verify } from './dropped-files.js';
import { FlawedEvents } from './flaw.js';

type Verified = { readonly given: Given; readonly name: string; readonly result: Result };

const toneOf = ({ valid }: Result) => (valid === null ? 'warn' : valid ? 'good' : 'bad');

const Verdict = ({ given, name, result }: Verified) => (
  <>
    <p class={`note ${toneOf(result)}`}>
      <strong>{name}</strong>: {result.text}
    </p>
    {result.flaw && given.kind !== 'none' && <FlawedEvents files={given.files} flaw={result.flaw} />}
  </>
);

/** Reads the whole history as the verifiable file of ExportHistory. */
const readExport = async () => {
  const parts: BlobPart[] = [];
  for await (const part of await client.admin.exportHistory({})) parts.push(part as Uint8Array<ArrayBuffer>);
  return new File(parts, 'the history as it is now');
};

const useVerification = (readKey: () => string) => {
  const [progress, setProgress] = useState('');
  const [verified, setVerified] = useState<Verified>();
  const [error, setError] = useState<unknown>();
  const check = async (read: () => Promise<readonly File[]>) => {
    setProgress('Reading…');
    const given = givenBy(await read());
    if (given.kind === 'none')
      return setVerified({ given, name: 'Not proven', result: { valid: null, text: given.reason } });
    const result = await verify(given, readKey(), (events) => setProgress(`${events} events verified…`));
    setVerified({ given, name: given.name, result });
  };
  const start = (read: () => Promise<readonly File[]>) => {
    setError(undefined);
    setVerified(undefined);
    check(read)
      .catch(setError)
      .finally(() => setProgress(''));
  };
  return { progress, verified, error, start };
};

const Picker = ({ title, isFolder, onPick }: { title: string; isFolder: boolean; onPick: (files: File[]) => void }) => (
  <label>
    {title}
    <input
      type="file"
      multiple
      {...(isFolder && { webkitdirectory: true })}
      onChange={({ currentTarget }) => {
        onPick([...(currentTarget.files ?? [])]);
        // Clears the input, so that choosing the same files again, for example under another key, fires `onChange`.
        currentTarget.value = '';
      }}
    />
  </label>
);

/** Verifies dropped or chosen files in this tab, with a key that the user trusts. Sends nothing to the service. */
export const VerifyForm = ({ serviceKey }: { readonly serviceKey: string }) => {
  const [key, setKey] = useState('');
  const latest = useRef(key);
  latest.current = key;
  const { progress, verified, error, start } = useVerification(() => latest.current.trim());
  const [isOver, setOver] = useState(false);
  return (
    <section
      class={`panel drop ${isOver ? 'over' : ''}`}
      aria-labelledby="verify-title"
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        const { dataTransfer } = event;
        if (dataTransfer) {
          const files = filesOf(dataTransfer);
          start(() => files);
        }
      }}
    >
      <h2 id="verify-title">Verify in this browser</h2>
      <p>
        Drop an export, or an evidence folder with its statements, here. Every event, seal and signature is checked in
        this tab, and nothing is sent.
      </p>
      <label>
        Public key that you trust
        <input
          class="mono"
          value={key}
          onInput={({ currentTarget: { value } }) => setKey(value)}
          placeholder="audpk_…"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
        />
      </label>
      <div class="actions">
        <button type="button" class="small" onClick={() => setKey(serviceKey)}>
          Use the key that the service publishes now
        </button>
        <span class="quiet">A key from an earlier folder, or from somebody else, proves more.</span>
      </div>
      <div class="filters">
        <Picker title="Export" isFolder={false} onPick={(files) => start(async () => files)} />
        <Picker title="Evidence folder" isFolder onPick={(files) => start(async () => files)} />
      </div>
      <button type="button" onClick={() => start(async () => [await readExport()])}>
        Export the whole history and verify it
      </button>
      <div role="status">
        {progress}
        {verified && <Verdict {...verified} />}
      </div>
      <ProblemNote error={error} />
    </section>
  );
};
