import './console.css';
import './pages.css';
import './timelines.css';
import { render } from 'preact';
import { LocationProvider, lazy, Route, Router } from 'preact-iso';
import { resumeSession } from './session/session.js';
import { type NavigationRow, Shell } from './shell/shell.js';

/** Pages, each loaded when it is first opened. */
const OverviewPage = lazy(() => import('./overview/page.js').then((page) => page.OverviewPage));
const HistoryPage = lazy(() => import('./history/page.js').then((page) => page.HistoryPage));
const TimePage = lazy(() => import('./time/page.js').then((page) => page.TimePage));
const ProofPage = lazy(() => import('./proof/page.js').then((page) => page.ProofPage));
const WalletsPage = lazy(() => import('./wallets/page.js').then((page) => page.WalletsPage));
const WalletPage = lazy(() => import('./wallets/wallet-page.js').then((page) => page.WalletPage));
const StatementsPage = lazy(() => import('./statements/page.js').then((page) => page.StatementsPage));
const TransactionsPage = lazy(() => import('./transactions/page.js').then((page) => page.TransactionsPage));
const TransactionPage = lazy(() => import('./transactions/transaction-page.js').then((page) => page.TransactionPage));
const WebhooksPage = lazy(() => import('./webhooks/page.js').then((page) => page.WebhooksPage));
const ApiPage = lazy(() => import('./api/page.js').then((page) => page.ApiPage));

const rows: readonly NavigationRow[] = [
  { path: '/console', title: 'Overview' },
  { path: '/console/history', title: 'History' },
  { path: '/console/time', title: 'Time' },
  { path: '/console/proof', title: 'Proof' },
  { path: '/console/wallets', title: 'Wallets' },
  { path: '/console/statements', title: 'Statements' },
  { path: '/console/transactions', title: 'Transactions' },
  { path: '/console/webhooks', title: 'Webhooks' },
  { path: '/console/api', title: 'API' },
];

const NoPage = () => (
  <>
    <h1>Page not found</h1>
    <p>
      <a href="/console">Back to the overview</a>
    </p>
  </>
);

const pageTitle = (path: string) => rows.findLast((row) => path.startsWith(row.path))?.title ?? 'Console';

let shownPath = location.pathname;

/**
 * Sets the title of the document to the title of the page at `url`, for screen readers and the history of the browser.
 * Moves the focus to a new page, because the focus would otherwise stay on the link that was followed. Does not move
 * the focus if only the query changes, for example after a change of filters.
 */
const announce = (url: string) => {
  const { pathname } = new URL(url, location.origin);
  document.title = `${pageTitle(pathname)} · chainfold`;
  if (pathname === shownPath) return;
  shownPath = pathname;
  // Leaves the scroll position to the router and the browser, which restores it when the reader goes back.
  document.getElementById('main')?.focus({ preventScroll: true });
};

const Console = () => (
  <LocationProvider scope="/console">
    <Shell rows={rows}>
      <Router onLoadEnd={announce} onRouteChange={announce}>
        <Route path="/console" component={OverviewPage} />
        <Route path="/console/history" component={HistoryPage} />
        <Route path="/console/time" component={TimePage} />
        <Route path="/console/proof" component={ProofPage} />
        <Route path="/console/wallets" component={WalletsPage} />
        <Route path="/console/wallets/:api/:id" component={WalletPage} />
        <Route path="/console/statements" component={StatementsPage} />
        <Route path="/console/transactions" component={TransactionsPage} />
        <Route path="/console/transactions/:id" component={TransactionPage} />
        <Route path="/console/webhooks" component={WebhooksPage} />
        <Route path="/console/api" component={ApiPage} />
        <Route path="/console/api/:segment/:name" component={ApiPage} />
        <Route default component={NoPage} />
      </Router>
    </Shell>
  </LocationProvider>
);

const root = document.getElementById('console');
if (root) render(<Console />, root);
void resumeSession();
