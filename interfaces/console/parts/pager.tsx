type PagerProps = {
  readonly label: string;
  /** Token of the page that is shown; empty for the first page. */
  readonly token: string;
  /** Token of the next page; empty on the last page, and absent while the page is loaded. */
  readonly next: string | undefined;
  readonly onMove: (token: string) => void;
};

/** Buttons under a list that is shown page by page. */
export const Pager = ({ label, token, next = '', onMove }: PagerProps) => (
  <nav class="pager" aria-label={label}>
    <button type="button" disabled={token === ''} onClick={() => onMove('')}>
      Newest
    </button>
    <button type="button" disabled={next === ''} onClick={() => onMove(next)}>
      Older
    </button>
  </nav>
);
