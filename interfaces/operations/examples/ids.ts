/** Ids and secrets of examples. */
export const anyWallet = 'wal_0193a1b2c3d47e8f9a0b1c2d3e4f5a6b';
export const anyImport = 'imp_0193a1b2c3d47e8f9a0b1c2d3e4f5a6b';
export const anyWebhook = 'whk_0193a1b2c3d47e8f9a0b1c2d3e4f5a6b';
export const anyHeader = 'hdr_0193a1b2c3d47e8f9a0b1c2d3e4f5a6b';
export const anyDelivery = 'whd_0193a1b2c3d47e8f9a0b1c2d3e4f5a6b';
export const anyTransaction = '0193a1b2-c3d4-7e8f-9a0b-1c2d3e4f5a6b';
export const anyOrganization = 'org_0193a1b2c3d47e8f9a0b1c2d3e4f5a6b';
export const anyKey = 'ck_0193a1b2c3d47e8f9a0b1c2d3e4f5a6b_00112233445566778899aabbccddeeff';
export const anySecret = 'f'.repeat(64);
export const anyToken = 'gtk_0123456789abcdef0123456789abcdef';
export const anyEvent = '019b7a4e-0040-7c3a-9d21-4f8e6a0b1c5d';
