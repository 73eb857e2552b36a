/** What tests use of Effect 3's `Schedule` that Effect 4 has in another shape. */
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import * as Pull from "effect/Pull"
import * as Schedule from "effect/Schedule"

type Any = Schedule.Schedule<any, any, any, any>

export const intersect: { (that: Any): (self: Any) => Any; (self: Any, that: Any): Any } = dual(
  2,
  (self: Any, that: Any) => Schedule.max([self, that])
)

export const union: { (that: Any): (self: Any) => Any; (self: Any, that: Any): Any } = dual(2, (self: Any, that: Any) =>
  Schedule.min([self, that])
)

type Told = (value: any) => Effect.Effect<unknown, any, any>

/** Unlike `Schedule.tap` of Effect 4, it tells also of the output with which the schedule ends. */
export const tapOutput: { (f: Told): (self: Any) => Any; (self: Any, f: Told): Any } = dual(
  2,
  (self: Any, f: Told): Any =>
    Schedule.fromStep(
      Effect.map(
        Schedule.toStep(self),
        (step) => (now: number, input: unknown) =>
          Pull.matchEffect(step(now, input), {
            onSuccess: (next) => Effect.as(f(next[0]), next),
            onFailure: Effect.failCause,
            onDone: (output) => Effect.andThen(f(output), Cause.done(output))
          }) as Pull.Pull<[unknown, Duration.Duration], unknown, unknown>
      )
    )
)

export const tapInput: { (f: Told): (self: Any) => Any; (self: Any, f: Told): Any } = dual(2, (self: Any, f: Told) =>
  Schedule.tap(self, ({ input }) => f(input))
)

export const count = Schedule.forever

export const stop = Schedule.recurs(0)

export const whileOutput: { (f: (a: any) => boolean): (self: Any) => Any; (self: Any, f: (a: any) => boolean): Any } =
  dual(2, (self: Any, f: (a: any) => boolean) => Schedule.while(self, ({ output }) => Effect.succeed(f(output))))

export const whileInput: { (f: (a: any) => boolean): (self: Any) => Any; (self: Any, f: (a: any) => boolean): Any } =
  dual(2, (self: Any, f: (a: any) => boolean) => Schedule.while(self, ({ input }) => Effect.succeed(f(input))))

export const recurWhile = (f: (a: any) => boolean): Any =>
  Schedule.passthrough(Schedule.while(Schedule.forever, ({ input }) => Effect.succeed(f(input))))

export const recurWhileEffect = (f: (a: any) => Effect.Effect<boolean>): Any =>
  Schedule.passthrough(Schedule.while(Schedule.forever, ({ input }) => f(input)))

export const fromDelay = (delay: Duration.Input): Any =>
  Schedule.addDelay(Schedule.recurs(1), () => Effect.succeed(delay))

export const whileOutputEffect: {
  (f: (a: any) => Effect.Effect<boolean, any, any>): (self: Any) => Any
  (self: Any, f: (a: any) => Effect.Effect<boolean, any, any>): Any
} = dual(2, (self: Any, f: (a: any) => Effect.Effect<boolean, any, any>) =>
  Schedule.while(self, ({ output }) => f(output))
)

export const fromDelays = (...all: ReadonlyArray<Duration.Input>): Any =>
  Schedule.fromStep(
    Effect.sync(() => {
      let at = 0
      return () => {
        const delay = all[at++]
        return delay === undefined
          ? (Cause.done(Duration.fromInputUnsafe(all.at(-1)!)) as any)
          : Effect.succeed([Duration.fromInputUnsafe(delay), Duration.fromInputUnsafe(delay)])
      }
    })
  )

export const andThen: { (that: Any): (self: Any) => Any; (self: Any, that: Any): Any } = dual(
  2,
  (self: Any, that: Any) => Schedule.concat(self, that)
)

export const elapsed = Schedule.map(Schedule.forever, ({ elapsed }: any) => Effect.succeed(Duration.millis(elapsed)))

export const linear = (base: Duration.Input): Any =>
  Schedule.addDelay(Schedule.forever, ({ output }: any) =>
    Effect.succeed(Duration.times(Duration.fromInputUnsafe(base), output + 1))
  )

/** The outputs of a schedule for the given inputs, without waiting. */
export const run = (self: Any, now: number, inputs: Iterable<any>): Effect.Effect<Chunk.Chunk<any>> =>
  Effect.gen(function* () {
    const step: any = yield* Schedule.toStep(self)
    const outputs: Array<unknown> = []
    let at = now
    for (const input of inputs) {
      const next: any = yield* Effect.exit(step(at, input))
      if (next._tag === "Failure") {
        outputs.push(next.cause.reasons[0]?.error?.value)
        break
      }
      outputs.push(next.value[0])
      at += Duration.toMillis(next.value[1])
    }
    return Chunk.fromIterable(outputs)
  }) as Effect.Effect<Chunk.Chunk<any>>

export const map: { (f: (a: any) => any): (self: Any) => Any; (self: Any, f: (a: any) => any): Any } = dual(
  2,
  (self: Any, f: (a: any) => any) => Schedule.map(self, ({ output }: any) => Effect.succeed(f(output)))
)

export const addDelay: {
  (f: (a: any) => Duration.Input): (self: Any) => Any
  (self: Any, f: (a: any) => Duration.Input): Any
} = dual(2, (self: Any, f: (a: any) => Duration.Input) =>
  Schedule.addDelay(self, ({ output }: any) => Effect.succeed(f(output)))
)

/** A schedule whose outputs are its delays. */
export const delays = (self: Any): Any =>
  Schedule.fromStep(
    Effect.map(
      Schedule.toStep(self),
      (step) => (now: number, input: unknown) =>
        Pull.matchEffect(step(now, input), {
          onSuccess: ([, delay]) => Effect.succeed([delay, delay]),
          onFailure: Effect.failCause,
          onDone: () => Cause.done(Duration.zero)
        }) as any
    )
  )

/** A schedule that is stepped by hand, and that waits. */
export const driver = (self: Any) =>
  Effect.map(Schedule.toStepWithSleep(self), (first) => {
    let step = first
    return {
      next: (input: unknown) => Effect.suspend(() => step(input)),
      reset: Effect.map(Schedule.toStepWithSleep(self), (again) => void (step = again))
    }
  })

export const modifyDelay: {
  (f: (a: any, delay: Duration.Duration) => Duration.Input): (self: Any) => Any
  (self: Any, f: (a: any, delay: Duration.Duration) => Duration.Input): Any
} = dual(2, (self: Any, f: (a: any, delay: Duration.Duration) => Duration.Input) =>
  Schedule.modifyDelay(self, ({ duration, output }: any) => Effect.succeed(f(output, duration)))
)

export const addDelayEffect: {
  (f: (a: any) => Effect.Effect<Duration.Input, never, any>): (self: Any) => Any
  (self: Any, f: (a: any) => Effect.Effect<Duration.Input, never, any>): Any
} = dual(2, (self: Any, f: (a: any) => Effect.Effect<Duration.Input, never, any>) =>
  Schedule.addDelay(self, ({ output }: any) => f(output))
)

export const mapInput: { (f: (a: any) => any): (self: Any) => Any; (self: Any, f: (a: any) => any): Any } = dual(
  2,
  (self: Any, f: (a: any) => any) =>
    Schedule.fromStep(
      Effect.map(Schedule.toStep(self), (step) => (now: number, input: unknown) => step(now, f(input))) as any
    )
)
