/**
 * The steps that core's tests have of other libraries, taken on these libraries themselves.
 */
import { Backoff } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import {
  circuitBreaker,
  CircuitState,
  ConsecutiveBreaker,
  CountBreaker,
  handleWhen,
  type IBreaker,
  IterableBackoff,
  SamplingBreaker
} from "cockatiel"
import { Duration, Effect } from "effect"
import Opossum from "opossum"
import { afterEach, beforeEach, vi } from "vitest"
import * as Rows from "../../../core/test/fund/bucket/CircuitRows.ts"
import { type Circuit, play } from "../../../core/test/fund/bucket/CircuitSteps.ts"
import { attempt, Ignored } from "./Attempts.ts"
import * as Effect4Breaker from "./Effect4Breaker.ts"

const letters: Readonly<Record<CircuitState, string>> = {
  [CircuitState.Closed]: "C",
  [CircuitState.Open]: "O",
  [CircuitState.HalfOpen]: "H",
  [CircuitState.Isolated]: "I"
}

/** Fake timers that are moved as far as a step says. */
const at = (millis: number): Effect.Effect<void> =>
  Effect.promise(async () => void (await vi.advanceTimersByTimeAsync(Math.max(0, millis - Date.now()))))

const unsupported = (what: string) => Effect.dieMessage(`${what} is none of this library`)

/** The open times of an option: one, or a list of them. */
const openTimes = (openFor: Rows.Options["openFor"]): ReadonlyArray<number> => {
  if (Backoff.isBackoff(openFor)) return [100, 200, 400]
  return [Duration.toMillis(openFor as Duration.DurationInput)]
}

/** Every row says when its circuit opens. */
const inARow = { consecutive: 5 }

const cockatielBreaker = ({ opensAt = inARow }: Rows.Options): IBreaker => {
  if ("consecutive" in opensAt) return new ConsecutiveBreaker(opensAt.consecutive)
  // Its threshold is exceeded, ours is reached.
  if ("last" in opensAt) {
    return new CountBreaker({
      threshold: 0.5,
      size: opensAt.last,
      minimumNumberOfCalls: opensAt.atLeast ?? opensAt.last
    })
  }
  return new SamplingBreaker({ threshold: 0.5, duration: 1000, minimumRps: 3 })
}

const cockatiel = (options: Rows.Options): Circuit => {
  const [first = 0, ...more] = openTimes(options.openFor)
  const policy = circuitBreaker(
    handleWhen((error) => !(error instanceof Ignored)),
    {
      breaker: cockatielBreaker(options),
      halfOpenAfter: more.length === 0 ? first : new IterableBackoff([first, ...more])
    }
  )
  let isolation: { readonly dispose: () => void } | undefined
  return {
    at,
    begin: attempt((call) => policy.execute(call)),
    isolate: Effect.sync(() => void (isolation = policy.isolate())),
    reset: Effect.sync(() => isolation?.dispose()),
    state: Effect.sync(() => letters[policy.state]),
    reopens: false
  }
}

const opossum = ({ opensAt = inARow }: Rows.Options): Circuit => {
  const breaker = new Opossum((call: () => Promise<void>) => call(), {
    timeout: false,
    errorThresholdPercentage: 50,
    resetTimeout: 1000,
    volumeThreshold: "window" in opensAt ? (opensAt.atLeast ?? 0) : 0,
    errorFilter: (error) => error instanceof Ignored
  })
  return {
    at,
    begin: attempt((call) => breaker.fire(call)),
    isolate: unsupported("isolate"),
    reset: unsupported("reset"),
    state: Effect.sync(() => (breaker.halfOpen ? "H" : breaker.opened ? "O" : "C")),
    reopens: false
  }
}

describe("the steps of circuit breakers, taken on the libraries", () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 0, toFake: ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval"] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  // Version 4 needs Node 22.
  const cockatielRows = Rows.cockatiel.filter(({ id }) => !id.endsWith("in version 4"))

  it.each(cockatielRows)("cockatiel 3.2.1: $id", async ({ options, steps }) => {
    expect(await Effect.runPromise(play(cockatiel(options), steps))).toBe(steps)
  })

  it.each(Rows.opossum)("opossum 9.0.0: $id", async ({ options, steps }) => {
    expect(await Effect.runPromise(play(opossum(options), steps))).toBe(steps)
  })

  it.each(Rows.effect4)("Effect 4.1.0: $id", async ({ options, steps }) => {
    const { circuit, close } = await Effect4Breaker.make(options, at)
    try {
      expect(await Effect.runPromise(play(circuit, steps))).toBe(steps)
    } finally {
      await close()
    }
  })
})
