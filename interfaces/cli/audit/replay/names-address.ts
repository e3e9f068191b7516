/** Returns true if any value in the event's data, such as a sender or receiver, is the address, ignoring case. */
export const namesAddress = ({ data }: { readonly data: object }, wanted: string): boolean =>
  JSON.stringify(data).toLowerCase().includes(JSON.stringify(wanted.toLowerCase()));
