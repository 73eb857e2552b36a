/**
 * With which probability an attempt is refused that the server would probably reject. Pure.
 */

/** The probability that an attempt is refused. Formula: `max(0, (requests - K * accepts) / (requests + 1))`. */
export const chance = (requests: number, accepts: number, K: number): number =>
  Math.max(0, (requests - K * accepts) / (requests + 1))

/**
 * The probability for one level, given the one for all: as many requests are refused as without levels, the lowest
 * levels first.
 *
 * Formula: `min(1, max(0, chance * requests - requests below) / requests of the level)`.
 */
export const chanceOfLevel = (chance: number, counts: ReadonlyArray<number>, level: number): number => {
  const requests = counts.reduce((sum, count) => sum + count, 0)
  const below = counts.slice(0, level).reduce((sum, count) => sum + count, 0)
  const left = chance * requests - below
  // All of a level without requests is refused if requests are left to refuse: the division is by zero then.
  return left <= 0 ? 0 : Math.min(1, left / (counts[level] ?? 0))
}
