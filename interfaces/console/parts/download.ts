/** Saves the parts as a downloaded file of the browser, without a network request. */
export const download = (name: string, type: string, parts: readonly BlobPart[]): void => {
  const url = URL.createObjectURL(new Blob([...parts], { type }));
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
};
