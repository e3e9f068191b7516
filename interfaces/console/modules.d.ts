/** Style sheets, which the bundler writes to a separate file. */
declare module '*.css';

/** Functions of the evidence verifier, bundled from `verify.html`, the page in every evidence folder. */
declare module '*/verify.html' {
  /**
   * First flaw of invalid files: the events from `event` to `last`, counted from 1, in the file named `file`. Event 0
   * stands for the whole file.
   */
  type Flaw = { readonly file: string; readonly event: number; readonly last: number };
  /** Result of a verification. `valid` is null if the files neither prove nor contradict the history. */
  type Verdict = { readonly valid: boolean | null; readonly text: string; readonly flaw?: Flaw };
  type Verify = (
    files: ReadonlyMap<string, Blob>,
    key: string,
    progress?: (events: number) => Promise<void>,
  ) => Promise<Verdict>;
  export const verifyFolder: Verify;
  export const verifyExport: Verify;
  export const sha256: (text: string) => Promise<string>;
  export const linesOf: (file: Blob | undefined) => AsyncIterable<string>;
  export const parse: (text: string) => object | null;
}
