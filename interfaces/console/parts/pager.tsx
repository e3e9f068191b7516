type PagerProps = {
  readonly isFirst: boolean;
  readonly hasNext: boolean;
  readonly onFirst: () => void;
  readonly onNext: () => void;
  readonly label: string;
};

/** Buttons under a list that is shown page by page. */
export const Pager = ({ isFirst, hasNext, onFirst, onNext, label }: PagerProps) => (
  <nav class="pager" aria-label={label}>
    <button type="button" disabled={isFirst} onClick={onFirst}>
      Newest
    </button>
    <button type="button" disabled={!hasNext} onClick={onNext}>
      Older
    </button>
  </nav>
);
