/** Skips a test and has the end of the run say why. */
export const skip = (test: Mocha.Context, reason: string) => {
  globalThis.adapterReport = [...(globalThis.adapterReport ?? []), `not run: ${reason}`];
  test.skip();
};

declare global {
  var adapterReport: readonly string[] | undefined;
}
