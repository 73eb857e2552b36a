import { describe, expect, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import * as ScheduleLine from "../../src/decide/ScheduleLine.ts"

const delays = [1_000, 3_000, 0, 2_500] as const

/** The delays of a schedule, from a time on. */
const delaysOf = (schedule: Schedule.Schedule<unknown>, fromMillis: number) =>
  Effect.gen(function* () {
    const stepped: Array<number | undefined> = []
    let nowMillis = fromMillis
    let state: unknown = ScheduleLine.start
    do {
      const step = yield* ScheduleLine.step(schedule, nowMillis, undefined, state)
      stepped.push(step.delayMillis)
      state = step.state
      nowMillis += step.delayMillis ?? 0
    } while (stepped.at(-1) !== undefined)
    return stepped
  })

describe("ScheduleLine.step", () => {
  it.effect.each([
    { name: "of Effect", schedule: Schedule.fromDelays(...delays) },
    {
      name: "made here",
      schedule: ScheduleLine.make<number, unknown, never>(0, (_, _input, index) =>
        Effect.succeed({ delayMillis: delays[index], state: index + 1 })
      )
    }
  ])("gives the delays of a schedule $name to its end, whenever it begins", ({ schedule }) =>
    Effect.gen(function* () {
      expect(yield* delaysOf(schedule, 0)).toEqual([...delays, undefined])
      expect(yield* delaysOf(schedule, 7_000)).toEqual([...delays, undefined])
    })
  )
})
