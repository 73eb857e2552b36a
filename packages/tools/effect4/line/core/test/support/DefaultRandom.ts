/**
 * The random numbers of programs that provide none.
 *
 * This is the file of Effect 4: its `Random` draws by itself.
 */
import * as Context from "effect/Context"
import * as Random from "effect/Random"
import { vi } from "vitest"

/** Replaces the draws, and answers what puts them back. */
export const replaced = (draw: () => number): (() => void) => {
  const spy = vi.spyOn(Context.get(Context.empty(), Random.Random), "nextDoubleUnsafe").mockImplementation(draw)
  return () => spy.mockRestore()
}
