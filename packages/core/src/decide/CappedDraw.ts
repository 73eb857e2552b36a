/**
 * A draw under a cap: nothing gathers on the cap itself.
 */
import type { Jitter } from "./Jitter.ts"

/**
 * Brings what was drawn around `boundMillis` below a cap, for `bound <= cap`: the cap limits the upper end of the
 * interval, and the draw is scaled into what is left.
 *
 * Where less than half of the interval would be left, its lower end gives way, so that no jitter is lost on the cap.
 */
export const below = (self: Jitter, boundMillis: number, drawnMillis: number, capMillis: number): number => {
  const [low, high] = self.interval(boundMillis)
  if (high <= capMillis) return drawnMillis
  if (high === low) return capMillis
  const floor = Math.max(0, Math.min(low, capMillis - (high - low) / 2))
  return floor + ((drawnMillis - low) * (capMillis - floor)) / (high - low)
}
