/**
 * Records with optional fields.
 */

/** The fields that are not `undefined`. */
export const said = (given: object): object =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
