import { useState } from 'preact/hooks';

export type Command = {
  /** Result of the last command, in words; empty before the first one and after an error. */
  readonly status: string;
  readonly error: unknown;
  readonly isBusy: boolean;
  /** Runs a command that returns what it did, unless another one is running. */
  readonly run: (command: () => Promise<string>) => void;
};

/** Runs commands one at a time, and holds the outcome of the last one. `onDone` is called after each, also after an error. */
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
