/** Finds an address anywhere in the data, in either case, because transfers name it as sender or receiver. */
export const namesAddress = ({ data }: { readonly data: object }, wanted: string): boolean =>
  JSON.stringify(data).toLowerCase().includes(JSON.stringify(wanted.toLowerCase()));
