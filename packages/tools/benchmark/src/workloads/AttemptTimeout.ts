import { AttemptTimeout, Deadline, Retry } from "@effect-retry/core"
import { Clock, Effect, Layer, ManagedRuntime } from "effect"
import type { Pace, Row, Target, Workload } from "../Workload.ts"
import { insideFiberOf, timed } from "../Workload.ts"
import type { Call } from "./Calls.ts"
import { policy, ready, yielding } from "./Calls.ts"

const pace: Pace = { warmUpMillis: 500, sampleMillis: 16, times: 1 }

const native = (self: Call) => Effect.timeout(self, "5 seconds")

const ours = (self: Call) => Retry.retry(self, { ...policy, attemptTimeout: AttemptTimeout.constant("5 seconds") })

const cut = (self: Call) => Retry.retry(self, { ...policy, deadline: Deadline.cut("30 seconds") })

const rows = (call: Call, layer: Layer.Layer<never>, promised?: Target): ReadonlyArray<Row> => {
  const edge = ManagedRuntime.make(layer)
  const target = promised && { target: promised }
  return [
    { name: "bare effect", sample: insideFiberOf(edge, call, pace) },
    { name: "`Effect.timeout`", sample: insideFiberOf(edge, native(call), pace) },
    { name: "attempt timeout", sample: insideFiberOf(edge, ours(call), pace), ...target },
    { name: "`Deadline.cut`", sample: insideFiberOf(edge, cut(call), pace), ...target }
  ]
}

const table = { unit: "ns", rounds: 31, baseline: "`Effect.timeout`" } as const

const ratio = (atMost: number): Target => ({ of: "ratio", atMost })

export const timeoutAtOnce: Workload = {
  ...table,
  title: "Under a timeout: succeeds at once",
  about: [
    "The first attempt succeeds in the step in which it starts, and its timeout is far away.",
    "The policies differ from that of the first table by an attempt timeout, or by a deadline that interrupts the attempt."
  ],
  rows: rows(ready, Layer.empty, ratio(0.25))
}

export const timeoutAfterYield: Workload = {
  ...table,
  title: "Under a timeout: succeeds after a yield",
  about: [
    "The attempt lets other fibers go first, like one that waits for an answer, and then succeeds.",
    "So a timer is set, and removed again."
  ],
  rows: rows(yielding, Layer.empty, ratio(0.5))
}

const live = Clock.make()

const foreign: Clock.Clock = {
  ...live,
  unsafeCurrentTimeMillis: () => live.unsafeCurrentTimeMillis(),
  unsafeCurrentTimeNanos: () => live.unsafeCurrentTimeNanos(),
  sleep: (duration) => live.sleep(duration)
}

export const timeoutForeignClock: Workload = {
  ...table,
  title: "Under a timeout: with a custom clock",
  about: [
    "The same under a clock that is not Effect's live one, like those of tests.",
    "Such a clock offers only an effect that sleeps, so a timeout needs a fiber to run it."
  ],
  rows: rows(yielding, Layer.setClock(foreign))
}

const size = 500

/** Nanoseconds per effect, of many that time out a millisecond after all of them have started. */
const timingOut = (effect: Effect.Effect<never, unknown>): Row["sample"] => {
  const all = () =>
    new Promise<void>((resolve) => {
      let left = size
      for (let i = 0; i < size; i++) Effect.runFork(effect).addObserver(() => void (--left === 0 && resolve()))
    })
  const sample = timed(async (times) => {
    for (let i = 0; i < times; i++) await all()
  }, pace)
  return async () => (await sample()) / size
}

const once = { ...policy, maxAttempts: 1 }

export const timeoutPasses: Workload = {
  ...table,
  rounds: 15,
  title: "Under a timeout: the time is up",
  about: [
    "An attempt that never ends is interrupted after a millisecond, and there is no other.",
    `The time per attempt when ${size} run at once, each in a root fiber.`
  ],
  rows: [
    { name: "`Effect.sleep`", sample: timingOut(Effect.zipRight(Effect.sleep(1), Effect.fail("up"))) },
    { name: "`Effect.timeout`", sample: timingOut(Effect.timeout(Effect.never, 1)) },
    {
      name: "attempt timeout",
      sample: timingOut(Retry.retry(Effect.never, { ...once, attemptTimeout: AttemptTimeout.constant(1) })),
      target: ratio(0.7)
    },
    {
      name: "`Deadline.cut`",
      sample: timingOut(Retry.retry(Effect.never, { ...once, deadline: Deadline.cut(1) })),
      target: ratio(0.7)
    }
  ]
}
