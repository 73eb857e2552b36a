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
  const own = counts[level] ?? 0
  const below = counts.slice(0, level).reduce((sum, count) => sum + count, 0)
  const left = chance * requests - below
  if (own === requests || (own === 0 && requests === 0)) return chance
  return left <= 0 ? 0 : own === 0 ? 1 : Math.min(1, left / own)
}
