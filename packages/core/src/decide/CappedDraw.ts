/**
 * A draw under a cap, without a cluster of draws at the cap itself.
 */
import type { Jitter } from "./Jitter.ts"

/**
 * Brings a delay drawn around `boundMillis` below a cap, for `bound <= cap`: the cap limits the upper end of the
 * interval, and the draw is scaled into the rest.
 *
 * If less than half of the interval would be left, its lower end moves down, so that no jitter is lost at the cap.
 */
export const below = (self: Jitter, boundMillis: number, drawnMillis: number, capMillis: number): number => {
  const [low, high] = self.interval(boundMillis)
  if (high <= capMillis) return drawnMillis
  if (high === low) return capMillis
  const floor = Math.max(0, Math.min(low, capMillis - (high - low) / 2))
  return floor + ((drawnMillis - low) * (capMillis - floor)) / (high - low)
}
