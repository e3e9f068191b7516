/** Something to tell, written once for everybody. */
export type Told = { readonly json: string };
export type Hear = (told: Told) => void;
/** Ends the listening. */
export type Leave = () => void;

export const tell = (value: unknown): Told => ({ json: JSON.stringify(value) });
