import { useRef, useState } from 'preact/hooks';
import { ProblemNote } from '../parts/problem.js';
import { signIn } from '../session/session.js';
import { lastApiKey } from '../session/signing-key.js';

type Submit = { readonly onSubmit: (apiKey: string, secret: string) => Promise<void>; readonly action: string };

/**
 * Form for an api_key and its secret. The fields have no names, so that a form submission cannot put their values into
 * a URL, and the secret field is cleared before the request is sent.
 */
export const SecretForm = ({ onSubmit, action }: Submit) => {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const secret = useRef<HTMLInputElement>(null);
  const key = useRef<HTMLInputElement>(null);
  const submit = async () => {
    const [apiKey, entered] = [key.current?.value.trim() ?? '', secret.current?.value.trim() ?? ''];
    if (secret.current) secret.current.value = '';
    setError(undefined);
    setBusy(true);
    await onSubmit(apiKey, entered).catch(setError);
    setBusy(false);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) void submit();
      }}
    >
      <label>
        api_key
        <input
          ref={key}
          class="mono"
          required
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          defaultValue={lastApiKey.peek()}
        />
      </label>
      <label>
        api_secret
        <input ref={secret} class="mono" type="password" required autocomplete="off" />
      </label>
      <button type="submit" class="primary" aria-disabled={isBusy}>
        {isBusy ? 'Signing…' : action}
      </button>
      <ProblemNote error={error} />
    </form>
  );
};

const InsecureNote = () => (
  <p class="note bad" role="alert">
    This page cannot sign requests: browsers offer cryptography (<code>crypto.subtle</code>) only over https or on
    localhost. Open the console at such an address.
  </p>
);

export const SignIn = ({ reason }: { readonly reason: string }) => (
  <main id="main" class="sign-in" tabIndex={-1}>
    <h1>Sign in to chainfold</h1>
    {reason && (
      <p class="note warn" role="status">
        {reason}
      </p>
    )}
    {isSecureContext ? <SecretForm onSubmit={signIn} action="Sign in" /> : <InsecureNote />}
    <p class="quiet">
      The secret stays in this tab: it signs one request, and from then on exists only as a key that cannot be read. The
      key is dropped after 5 minutes without use, and nothing is stored. Operators can run{' '}
      <code>npx chainfold console</code> instead.
    </p>
  </main>
);
