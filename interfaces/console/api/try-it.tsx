import { useEffect, useState } from 'preact/hooks';
import { newNonce, textToSign } from '../../../sdk/typescript/src/sign.js';
import { CopyButton } from '../parts/copyable.js';
import { ProblemNote } from '../parts/problem.js';
import { Scroll } from '../parts/scroll.js';
import { post, session } from '../session/session.js';
import { hasKey, signedHeaders } from '../session/signing-key.js';
import { languages } from './code.js';
import type { Operation } from './document.js';
import { fillIds } from './fill-ids.js';
import { PairTable } from './tables.js';

type Received = {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly text: string;
};

const shownHeaders = ['x-position', 'x-consistency', 'x-request-id', 'ratelimit-cost', 'ratelimit-remaining'];
/** Maximum number of characters shown of a response. */
const maxShown = 200_000;

const pretty = (text: string) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

const receive = async (response: Response): Promise<Received> => ({
  status: response.status,
  headers: shownHeaders.map((name) => [name, response.headers.get(name) ?? '–'] as const),
  text: pretty(await response.text()).slice(0, maxShown),
});

type Prepared = {
  readonly operation: Operation;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
};

/**
 * Sends a request. Commands are always signed. Queries are signed if the page has the signing key or no session is
 * open. All other queries use the session cookie, and are repeated with a signature if the service returns 403, which
 * it does for responses with secrets.
 */
const send = async ({ operation: { path, isCommand }, body, headers }: Prepared, nonce: string): Promise<Received> => {
  const sendSigned = async () => post(path, body, { ...headers, ...(await signedHeaders(path, body, nonce)) });
  if (isCommand || hasKey() || session.peek().kind !== 'in') return receive(await sendSigned());
  const response = await post(path, body, headers);
  return receive(response.status === 403 ? await sendSigned() : response);
};

const Answer = ({ received }: { readonly received: Received | null }) =>
  received && (
    <>
      <PairTable titles={['Header', 'Value']} rows={received.headers} />
      <Scroll label="Answer">
        <pre class="answer">{received.text}</pre>
      </Scroll>
    </>
  );

const Code = ({ prepared }: { readonly prepared: Prepared }) => {
  const [language, setLanguage] = useState('Command line');
  const text = languages[language]?.({ ...prepared, origin: location.origin }) ?? '';
  return (
    <section aria-label="Code">
      <label class="inline">
        The same call in{' '}
        <select value={language} onChange={(event) => setLanguage(event.currentTarget.value)}>
          {Object.keys(languages).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <CopyButton text={text} label="code" />
      <Scroll label={`Code in ${language}`}>
        <pre class="code">{text}</pre>
      </Scroll>
    </section>
  );
};

const SignedText = ({
  prepared: { operation, body },
  nonce,
}: {
  readonly prepared: Prepared;
  readonly nonce: string;
}) => {
  const [text, setText] = useState('');
  useEffect(() => void textToSign(nonce, 'POST', operation.path, body).then(setText), [nonce, operation.path, body]);
  return (
    <details>
      <summary>Signed text</summary>
      <p class="quiet">The signature is the HMAC-SHA256 of these lines: nonce, method, path, SHA-256 of the body.</p>
      <pre class="code signed-text">{text}</pre>
    </details>
  );
};

type FieldsProps = {
  readonly operation: Operation;
  readonly headers: Readonly<Record<string, string>>;
  readonly onChange: (headers: Readonly<Record<string, string>>) => void;
};
const HeaderFields = ({ operation, headers, onChange }: FieldsProps) => (
  <fieldset>
    <legend>Optional headers</legend>
    {operation.headers.map(({ name, description }) => (
      <label key={name}>
        {name}
        <input
          class="mono"
          value={headers[name] ?? ''}
          title={description}
          onInput={(event) => {
            const { [name]: _, ...others } = headers;
            const { value } = event.currentTarget;
            onChange(value === '' ? others : { ...others, [name]: value });
          }}
        />
      </label>
    ))}
  </fieldset>
);

/** State of the form: the example request with the user's own ids, the headers, and the last response. */
const useTrial = (operation: Operation) => {
  const example = operation.post.requestBody.content['application/json']?.example ?? {};
  const [body, setBody] = useState(JSON.stringify(example, null, 2));
  const [headers, setHeaders] = useState<Readonly<Record<string, string>>>({});
  const [nonce, setNonce] = useState(newNonce);
  const isSignedIn = session.value.kind === 'in';
  const [state, setState] = useState<{ status: string; received: Received | null; error?: unknown }>({
    status: 'Nothing sent yet',
    received: null,
  });
  useEffect(() => {
    let isCurrent = true;
    const fill = (filled: object) => isCurrent && setBody(JSON.stringify(filled, null, 2));
    fillIds(operation.api, example).then(fill, () => undefined);
    return () => {
      isCurrent = false;
    };
    // Depends on `isSignedIn`, because the user's own ids are available only after signing in.
  }, [operation, isSignedIn]);
  const prepared = { operation, body, headers };
  const submit = async () => {
    const sent = newNonce();
    setNonce(sent);
    setState({ status: 'Sending…', received: null });
    try {
      const received = await send(prepared, sent);
      setState({ status: `Answer: ${received.status}`, received });
    } catch (error) {
      setState({ status: 'Request failed', received: null, error });
    }
  };
  return { prepared, nonce, state, setBody, setHeaders, submit };
};

/** Form that sends an operation and shows the response, the signed text and code for the same call. */
export const TryIt = ({ operation }: { readonly operation: Operation }) => {
  const { prepared, nonce, state, setBody, setHeaders, submit } = useTrial(operation);
  return (
    <section class="panel try" aria-labelledby="try-title">
      <h2 id="try-title">Try it</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (state.status !== 'Sending…') void submit();
        }}
      >
        <label>
          JSON body
          <textarea
            class="mono"
            rows={8}
            value={prepared.body}
            autocapitalize="off"
            spellcheck={false}
            onInput={(event) => setBody(event.currentTarget.value)}
          />
        </label>
        <HeaderFields operation={operation} headers={prepared.headers} onChange={setHeaders} />
        <button type="submit" class="primary">
          Send
        </button>
      </form>
      <p role="status" class="answer-status">
        <strong>{state.status}</strong>
      </p>
      <ProblemNote error={state.error} />
      <Answer received={state.received} />
      <SignedText prepared={prepared} nonce={nonce} />
      <Code prepared={prepared} />
    </section>
  );
};
