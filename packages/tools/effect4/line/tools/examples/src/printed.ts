import { Console, Effect } from "effect"

/** An effect whose lines of the console are added to a list. */
export const printingTo =
  (lines: Array<string>) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Console.consoleWith((console) =>
      Effect.provideService(self, Console.Console, { ...console, log: (line) => void lines.push(String(line)) })
    )

export const program = Effect.suspend(() => {
  const lines: Array<string> = []
  return Effect.as(printingTo(lines)(Console.log("printed")), lines)
})

export const expected = ["printed"]
