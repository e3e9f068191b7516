const idsPerUuid = 100;
const zero = 0x30;
/**
 * Generates request ids: a UUID with two digits appended, so that 100 ids share one UUID. Ids are built from bytes,
 * because concatenated strings take longer to check and to send.
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
