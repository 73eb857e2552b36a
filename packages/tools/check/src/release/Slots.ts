/** A bound on what runs at a time, for commands that are started all at once. */

/** Runs when there is a slot; of those that wait, the one with the least `turn` is next. */
export type Slots = <A>(turn: number, run: () => Promise<A>) => Promise<A>

/** Runs at most `count` at a time; those with the same turn in the order in which they were given. */
export const slots = (count: number): Slots => {
  let free = count
  const waiting: Array<{ readonly turn: number; readonly resume: () => void }> = []
  const next = (): void => {
    const least = Math.min(...waiting.map(({ turn }) => turn))
    const [first] = waiting.splice(
      Math.max(
        0,
        waiting.findIndex(({ turn }) => turn === least)
      ),
      1
    )
    if (first === undefined) free += 1
    else first.resume()
  }
  return async (turn, run) => {
    if (free > 0) free -= 1
    else await new Promise<void>((resume) => void waiting.push({ turn, resume }))
    try {
      return await run()
    } finally {
      next()
    }
  }
}
