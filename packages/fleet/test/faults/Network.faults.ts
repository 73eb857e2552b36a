import * as Proxy from "@effect-retry/servers/Proxy"
import * as Redis from "@effect-retry/servers/Redis"
import { until } from "@effect-retry/servers/Until"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Load from "./Load.ts"
import * as Outcome from "./Outcome.ts"
import * as Stores from "./Stores.ts"

const limits = { burst: 40, perSecond: 40 }

/** Puts the load behind a proxy, and asserts that all of its connections are closed at the end. */
const behindProxy = (name: string, fault: (proxy: Proxy.Proxy, load: Load.Load) => Effect.Effect<number>) =>
  Effect.gen(function* () {
    const server = yield* Redis.shared
    const proxy = yield* Proxy.start(server)
    const result = yield* Load.during({ name, limits, holders: Stores.of(Stores.server(proxy)), server }, (load) =>
      fault(proxy, load)
    )
    Outcome.show(name, result)
    Outcome.assertReasons(result)
    // The proxy hears of the end of a connection later than its client.
    yield* until("all connections are closed", async () => proxy.connections() === 0)
  })

describe("a network that loses everything", () => {
  it.scopedLive("is not waited for, and the server is asked again when it is back", () =>
    behindProxy("partition", (proxy, load) =>
      Effect.gen(function* () {
        yield* proxy.swallow
        yield* load.each(Outcome.isTimeOut)
        // Longer than it takes to give up a connection without answers, and to make another one in vain.
        yield* load.during(2000)
        yield* proxy.forward
        return yield* load.each(Outcome.isGrant)
      })
    )
  )

  it.scopedLive("and delivers it later changes nothing but what was asked", () =>
    behindProxy("partition that delivers late", (proxy, load) =>
      Effect.gen(function* () {
        yield* proxy.hold
        yield* load.each(Outcome.isTimeOut)
        yield* proxy.forward
        return yield* load.each(Outcome.isGrant)
      })
    )
  )
})

describe("a network that loses the answers", () => {
  it.scopedLive("costs the tokens that were taken", () =>
    behindProxy("lost answers", (proxy, load) =>
      Effect.gen(function* () {
        yield* proxy.swallowAnswers
        yield* load.each(Outcome.isTimeOut)
        yield* proxy.forward
        return yield* load.each(Outcome.isGrant)
      })
    )
  )
})

describe("a network that cuts connections", () => {
  it.scopedLive("is used again as soon as it is back", () =>
    behindProxy("cut connections", (proxy, load) =>
      Effect.gen(function* () {
        let backMillis = 0
        for (let times = 0; times < 3; times++) {
          yield* proxy.cut
          backMillis = Math.max(backMillis, yield* load.each(Outcome.isGrant))
        }
        return backMillis
      })
    )
  )
})

describe("a slow server", () => {
  it.scopedLive("is waited for within the bound, and no longer", () =>
    behindProxy("slow server", (proxy, load) =>
      Effect.gen(function* () {
        yield* proxy.delay(20)
        yield* load.each(Outcome.isGrant)
        yield* proxy.delay(2 * Stores.withinMillis)
        yield* load.each(Outcome.isTimeOut)
        yield* proxy.forward
        return yield* load.each(Outcome.isGrant)
      })
    )
  )
})
