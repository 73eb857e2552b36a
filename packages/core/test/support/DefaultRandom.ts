/**
 * The random numbers of programs that provide none.
 *
 * This is the file of Effect 3, in whose place the line for Effect 4 has its own.
 */
import { PCGRandom } from "effect/Utils"
import { vi } from "vitest"

/** Replaces the draws, also those of seeded generators, and answers what puts them back. */
export const replaced = (draw: () => number): (() => void) => {
  const spy = vi.spyOn(PCGRandom.prototype, "number").mockImplementation(draw)
  return () => spy.mockRestore()
}
