const idsPerUuid = 100;
const zero = 0x30;
/**
 * Creates a generator of request ids. An id is a UUID, a hyphen and two digits, so a new UUID is made only for every 100
 * ids. Ids are built from bytes, because a concatenated string takes longer to validate and to send as a header.
 */
export const createRequestIds = (uuid: () => string) => {
  let bytes = Buffer.alloc(0);
  let left = 0;
  return () => {
    if (left === 0) {
      bytes = Buffer.from(`${uuid()}-00`, 'latin1');
      left = idsPerUuid;
    }
    left--;
    bytes[bytes.length - 2] = zero + Math.floor(left / 10);
    bytes[bytes.length - 1] = zero + (left % 10);
    return bytes.toString('latin1');
  };
};
