/** Style sheets, which the bundle writes to a file of their own. */
declare module '*.css';

/** Verifier of evidence, which the bundle takes from the page in every evidence folder. */
declare module '*/verify.html' {
  /** First flaw of files that are not valid. `file` is the name in the folder; event 0 stands for the whole file. */
  type Flaw = { readonly file: string; readonly event: number; readonly last: number };
  /** Verdict: `null` if nothing is proven. */
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
