import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { Copyable } from '../parts/copyable.js';
import { ProblemNote } from '../parts/problem.js';
import { resumeSession, session, signOut } from '../session/session.js';
import { SecretDialog } from './secret-dialog.js';
import { SignIn } from './sign-in.js';
import { StatusLine } from './status-line.js';

export type NavigationRow = { readonly path: string; readonly title: string };

const localNames = /^(?:localhost|127\.|\[::1\])/;
/** Name of the environment, which shows users whether the service runs on their own machine or elsewhere. */
const environmentName = () => (localNames.test(location.hostname) ? `local :${location.port}` : location.hostname);

const isCurrent = (path: string, row: string) => (row === '/console' ? path === row : path.startsWith(row));

const Navigation = ({ rows }: { readonly rows: readonly NavigationRow[] }) => {
  const { path } = useLocation();
  return (
    <nav class="pages" aria-label="Pages">
      <ul>
        {rows.map((row) => (
          <li key={row.path}>
            <a href={row.path} aria-current={isCurrent(path, row.path) ? 'page' : undefined}>
              {row.title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
};

type AccountProps = { readonly organizationId: string; readonly onSignIn: (() => void) | null };

const Account = ({ organizationId, onSignIn }: AccountProps) => (
  <div class="account">
    <span class="badge" title="Environment">
      {environmentName()}
    </span>
    {organizationId && <Copyable text={organizationId} label="organization id" />}
    {onSignIn ? (
      <button type="button" class="primary" onClick={onSignIn}>
        Sign in
      </button>
    ) : (
      <button type="button" onClick={() => void signOut()}>
        Sign out
      </button>
    )}
  </div>
);

const Unreachable = ({ error }: { readonly error: unknown }) => (
  <main id="main" class="sign-in" tabIndex={-1}>
    <h1>The service is not ready</h1>
    <ProblemNote error={error} />
    <button type="button" class="primary" onClick={() => void resumeSession()}>
      Try again
    </button>
  </main>
);

type ShellProps = { readonly rows: readonly NavigationRow[]; readonly children: ComponentChildren };

/** Returns true for pages that anybody may read, because they show only public documents of the service. */
const isPublic = (path: string) => path.startsWith('/console/api');

/**
 * Frame of every page. Without a session, shows the sign-in form in place of a page that requires a session, and keeps
 * the route.
 */
export const Shell = ({ rows, children }: ShellProps) => {
  const state = session.value;
  const { path } = useLocation();
  const [wantsSignIn, setWantsSignIn] = useState(false);
  const isOut = state.kind === 'out';
  if (state.kind === 'checking') return <p class="checking">Loading…</p>;
  if (state.kind === 'unreachable') return <Unreachable error={state.error} />;
  if (isOut && (wantsSignIn || !isPublic(path))) return <SignIn reason={state.reason} />;
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="bar">
        <a class="brand" href="/console">
          chainfold
        </a>
        <Navigation rows={rows} />
        <Account
          organizationId={isOut ? '' : state.organizationId}
          onSignIn={isOut ? () => setWantsSignIn(true) : null}
        />
      </header>
      <StatusLine />
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <SecretDialog />
    </>
  );
};
