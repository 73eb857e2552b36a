import { SendRate } from "@effect-retry/core"
import { SendRateContract, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Layer, Option } from "effect"
import { failing } from "./Findings.ts"

const broken = (make: SendRateContract.Make, options?: SendRateContract.Options, only?: string) =>
  failing((runner) => SendRateContract.suite(runner, "it", make, options), only)

interface State {
  /** When the next send is free. */
  freeAt: number
  readonly line: Array<symbol>
}

const nowMillis = Effect.clockWith((clock) => Effect.sync(() => clock.unsafeCurrentTimeMillis()))

const mostMillis = ({ atMost }: SendRate.Wanted) =>
  Option.match(atMost, { onNone: () => Infinity, onSome: Duration.toMillis })

/** A sound send rate of one per second, three at once, with something changed. */
const rate = (
  change: (sound: SendRate.SendRate, state: State) => Partial<SendRate.SendRate> = () => ({})
): Effect.Effect<SendRate.SendRate> =>
  Effect.map(nowMillis, (madeAt) => {
    const state: State = { freeAt: madeAt - 2_000, line: [] }
    const turn = (mine: symbol): Effect.Effect<boolean> =>
      Effect.flatMap(nowMillis, (now) => {
        const wait = state.freeAt + 1_000 * state.line.indexOf(mine) - now
        if (wait > 0) return Effect.zipRight(Effect.sleep(Math.min(wait, 1_000)), turn(mine))
        state.freeAt = Math.max(state.freeAt, now - 2_000) + 1_000
        return Effect.succeed(true)
      })
    const enter = (wanted: SendRate.Wanted) =>
      Effect.map(nowMillis, (now) => {
        const wait = state.freeAt + 1_000 * state.line.length - now
        if (wait > 0 && wait > mostMillis(wanted)) return undefined
        const mine = Symbol("mine")
        state.line.push(mine)
        return mine
      })
    const sound: SendRate.SendRate = {
      acquire: (wanted) =>
        Effect.acquireUseRelease(
          enter(wanted),
          (mine) => (mine === undefined ? Effect.succeed(false) : turn(mine)),
          (mine) => Effect.sync(() => mine && state.line.splice(state.line.indexOf(mine), 1))
        ),
      heard: () => Effect.void
    }
    return { ...sound, ...change(sound, state) }
  })

const onlyOne = Effect.runSync(VirtualClock.run(rate()))

const defects = [
  {
    defect: "dies of a result it did not expect",
    make: rate(() => ({ heard: (result) => (result === "Throttled" ? Effect.dieMessage("throttled") : Effect.void) })),
    finds: "hears every result without a failure, and in no time"
  },
  {
    defect: "takes its time to hear",
    make: rate(() => ({ heard: () => Effect.sleep("1 milli") })),
    finds: "hears every result without a failure, and in no time"
  },
  {
    defect: "is always the same",
    make: Effect.succeed(onlyOne),
    finds: "is another rate whenever it is made"
  },
  {
    defect: "waits longer than there is time",
    make: rate(({ acquire }) => ({ acquire: () => acquire({ attempt: 1, atMost: Option.none() }) })),
    finds: "answers within the time there is, and at once where it refuses, on any path"
  },
  {
    defect: "waits before it refuses",
    make: rate(({ acquire }) => ({
      acquire: (wanted) =>
        Effect.tap(acquire(wanted), (granted) =>
          granted ? Effect.void : Effect.sleep(Option.getOrElse(wanted.atMost, () => Duration.zero))
        )
    })),
    finds: "answers within the time there is, and at once where it refuses, on any path"
  },
  {
    defect: "calls itself fresh when it is spent",
    make: rate(() => ({ isFresh: Effect.succeed(true) })),
    finds: "does not call itself fresh where a new one would grant more"
  },
  {
    defect: "never grants again",
    make: Effect.map(rate(), ({ acquire, heard }) => {
      let left = 3
      return {
        heard,
        acquire: (wanted: SendRate.Wanted) =>
          Effect.suspend(() => (left-- > 0 ? acquire(wanted) : Effect.succeed(false)))
      }
    }),
    finds: "is spent by its sends, and grants again in time"
  },
  {
    defect: "looks first and takes afterwards",
    make: rate(({ acquire }, state) => ({
      acquire: (wanted) =>
        Effect.flatMap(nowMillis, (now) => {
          if (state.freeAt > now) return acquire(wanted)
          const freeAt = Math.max(state.freeAt, now - 2_000) + 1_000
          return Effect.sync(() => (state.freeAt = freeAt)).pipe(Effect.as(true))
        })
    })),
    finds: "grants one of a hundred at once where one is left"
  },
  {
    defect: "charges for what it refuses",
    make: rate(({ acquire }, state) => ({
      acquire: (wanted) =>
        Effect.tap(acquire(wanted), (granted) => Effect.sync(() => void (granted || (state.freeAt += 100))))
    })),
    finds: "takes nothing for a send that it refuses"
  },
  {
    defect: "grants early",
    make: rate((_, state) => ({
      acquire: (wanted) => Effect.map(nowMillis, (now) => state.freeAt - now <= mostMillis(wanted))
    })),
    finds: "is spent by its sends, and grants again in time"
  },
  {
    defect: "refuses what would come in time",
    make: rate(({ acquire }) => ({
      acquire: (wanted) =>
        acquire({ ...wanted, atMost: Option.map(wanted.atMost, (atMost) => Duration.subtract(atMost, "1 milli")) })
    })),
    finds: "sends the next one as soon as it may, and refuses it at once where that is too late"
  },
  {
    defect: "serves the last to come first",
    make: rate(({ acquire }, state) => ({
      acquire: (wanted) =>
        Effect.tap(acquire(wanted), () => Effect.sync(() => void state.line.push(...state.line.splice(0).toReversed())))
    })),
    finds: "serves those who wait in the order in which they came, and keeps none waiting for another"
  },
  {
    defect: "keeps the place of one that is interrupted",
    make: rate(({ acquire }, state) => ({
      acquire: (wanted) =>
        Effect.onInterrupt(acquire(wanted), () => Effect.sync(() => void state.line.unshift(Symbol("gone"))))
    })),
    finds: "loses nothing to one that is interrupted in front of a line, and delays nobody"
  },
  {
    defect: "charges for an interrupted waiter",
    make: rate(({ acquire }, state) => ({
      acquire: (wanted) => Effect.onInterrupt(acquire(wanted), () => Effect.sync(() => void (state.freeAt += 1_000)))
    })),
    finds: "loses nothing to one that is interrupted at the end of a line, and delays nobody"
  },
  {
    defect: "lets one go for free that is interrupted",
    make: rate(({ acquire }, state) => ({
      acquire: (wanted) => Effect.onInterrupt(acquire(wanted), () => Effect.sync(() => void (state.freeAt -= 1_000)))
    })),
    finds: "makes operations wait for their turns, and loses nothing to one that is interrupted"
  },
  {
    defect: "charges twice for one that is interrupted as its turn comes",
    make: rate(({ acquire }, state) => ({
      acquire: (wanted) =>
        Effect.onInterrupt(acquire(wanted), () =>
          Effect.map(nowMillis, (now) => void (now >= 1_000 && (state.freeAt = Math.max(state.freeAt, now) + 2_000)))
        )
    })),
    finds: "loses at most the send of one that is interrupted just when its turn comes"
  },
  {
    defect: "keeps a place for one that it refuses",
    make: rate(({ acquire }, state) => ({
      acquire: (wanted) =>
        Effect.tap(acquire(wanted), (granted) =>
          Effect.sync(() => void (granted || state.line.unshift(Symbol("gone"))))
        )
    })),
    finds: "loses nothing to one that is refused behind a line, and delays nobody"
  }
]

describe("SendRateContract.suite", () => {
  it.effect.each([
    { what: "effect", make: rate() },
    { what: "layer", make: Layer.effect(SendRate.Default, rate()) }
  ])("finds nothing to say against a sound send rate, given as its $what", ({ make }) =>
    Effect.map(broken(make), (found) => expect(found).toEqual([]))
  )

  it.effect.each(defects)("finds a send rate that $defect", ({ finds, make }) =>
    Effect.map(broken(make, {}, finds), (found) => expect(found).toEqual([finds]))
  )

  it.effect.each([
    { make: SendRate.unlimited, grants: "some", finds: "is spent by its sends, and grants again in time" },
    {
      make: SendRate.unlimited,
      grants: "by chance",
      finds: "refuses some operations by the error that says so, and sends others, while all are throttled"
    },
    {
      make: { ...SendRate.unlimited, acquire: () => Effect.succeed(false) },
      grants: "all",
      finds: "grants every send, whatever it has heard"
    }
  ] as const)("finds a send rate that does not grant $grants, as it is said to", ({ finds, grants, make }) =>
    Effect.map(broken(Effect.succeed(make), { grants }, finds), (found) => expect(found).toEqual([finds]))
  )

  it.effect("finds a send rate that waits although it is said not to", () =>
    Effect.map(broken(rate(), { waits: false }), (found) =>
      expect(found).toContain("answers at once, however long there is")
    )
  )
})
