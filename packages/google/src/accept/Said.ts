/**
 * Records some of whose fields are left out.
 */

/** The fields that a record does not leave out: `undefined` is what is left out. */
export const said = (given: object): object =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
