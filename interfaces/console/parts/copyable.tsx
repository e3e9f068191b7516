import { useState } from 'preact/hooks';

const shownEnds = 8;
const shorten = (text: string) =>
  text.length > 2 * shownEnds + 4 ? `${text.slice(0, shownEnds + 4)}…${text.slice(-shownEnds)}` : text;

/** Button that copies a text. Its label shows the outcome, because the browser may deny access to the clipboard. */
export const CopyButton = ({ text, label }: { readonly text: string; readonly label: string }) => {
  const [state, setState] = useState('Copy');
  const copy = async () => {
    const isCopied = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    );
    setState(isCopied ? 'Copied' : 'Not allowed');
  };
  return (
    <button type="button" class="small" aria-label={`${state} ${label}`} onClick={() => void copy()}>
      {state}
    </button>
  );
};

/** Id or hash, shortened in the middle, with a button that copies all of it. */
export const Copyable = ({ text, label }: { readonly text: string; readonly label: string }) => (
  <span class="copyable">
    <code title={text}>{shorten(text)}</code> <CopyButton text={text} label={label} />
  </span>
);
