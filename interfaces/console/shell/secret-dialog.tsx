import { useEffect, useRef } from 'preact/hooks';
import { holdKey, importKey, secretRequest } from '../session/signing-key.js';
import { SecretForm } from './sign-in.js';

/** Dialog that asks for the secret when a command needs a signature and the key has been dropped. */
export const SecretDialog = () => {
  const request = secretRequest.value;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (request) dialog.current?.showModal();
  }, [request]);
  if (!request) return null;
  return (
    <dialog ref={dialog} aria-labelledby="secret-title" onClose={() => request.answer(null)}>
      <h2 id="secret-title">Sign this request</h2>
      <p>Changes, and answers that hold secrets, need a signature. Enter the secret of your key once more.</p>
      <SecretForm
        action="Sign"
        onSubmit={async (apiKey, secret) => {
          const key = await importKey(apiKey, secret);
          holdKey(key);
          request.answer(key);
        }}
      />
      <button type="button" onClick={() => request.answer(null)}>
        Cancel
      </button>
    </dialog>
  );
};
