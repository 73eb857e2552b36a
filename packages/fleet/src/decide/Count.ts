/**
 * A count in a store, which time does not move: in whole millionths of a token.
 */

/**
 * How long a count lasts that is not changed, in milliseconds. Time does not move a count, so this is no refill: after ten
 * minutes without traffic it starts at its maximum again.
 */
export const lastsMillis = 600_000

/** Tokens in millionths, rounded down; a thousandth of a millionth is what doubles get wrong. */
export const millionths = (tokens: number): number => Math.floor(tokens * 1_000_000 + 0.001)

/** Millionths in tokens. */
export const tokens = (millionths: number): number => millionths / 1_000_000
