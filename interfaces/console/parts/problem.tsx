import { ProblemError } from '../../../sdk/typescript/src/errors.js';
import { Copyable } from './copyable.js';

/** Error note: a problem of the service with its code and request id, or the message of any other error. */
export const ProblemNote = ({ error }: { readonly error: unknown }) => {
  if (error === undefined || error === null) return null;
  if (!(error instanceof ProblemError))
    return (
      <div class="note bad" role="alert">
        {error instanceof Error ? error.message : String(error)}
      </div>
    );
  const { code, detail, request_id, errors } = error.problem;
  return (
    <div class="note bad" role="alert">
      <p>
        <strong>{code}</strong> {detail}
      </p>
      {errors && errors.length > 0 && (
        <ul>
          {errors.map(({ path, message }) => (
            <li key={path}>
              <code>{path}</code> {message}
            </li>
          ))}
        </ul>
      )}
      <p class="quiet">
        Request <Copyable text={request_id} label="request id" />
      </p>
    </div>
  );
};
