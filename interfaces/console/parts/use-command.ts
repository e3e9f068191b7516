import { useState } from 'preact/hooks';

export type Command = {
  /**
   * Result of the last command in words, or `Sending…` while a command runs; empty before the first command and after
   * an error.
   */
  readonly status: string;
  readonly error: unknown;
  readonly isBusy: boolean;
  /** Runs a command unless another one is running. The command resolves to the text for `status`. */
  readonly run: (command: () => Promise<string>) => void;
};

/** Runs one command at a time and keeps the last outcome. Calls `onDone` after each command, also after an error. */
export const useCommand = (onDone: () => void = () => undefined): Command => {
  const [status, setStatus] = useState('');
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const start = async (command: () => Promise<string>) => {
    setError(undefined);
    setStatus('Sending…');
    setBusy(true);
    const text = await command().catch((failure: unknown) => {
      setError(failure);
      return '';
    });
    setBusy(false);
    setStatus(text);
    onDone();
  };
  return { status, error, isBusy, run: (command) => void (isBusy || start(command)) };
};
