import * as Cluster from "@effect-retry/servers/Cluster"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Load from "./Load.ts"
import * as Outcome from "./Outcome.ts"
import * as Stores from "./Stores.ts"

const limits = { burst: 40, perSecond: 40 }

describe("the master of a cluster that is killed under load", () => {
  it.scopedLive("is replaced by its replica, which is asked, and knows all but the latest grants", () =>
    Effect.gen(function* () {
      const cluster = yield* Cluster.start()
      const master = yield* cluster.masterOf("effect-retry:{failover}")
      const server = cluster.nodes.find((node) => node !== master) ?? master
      const result = yield* Load.during(
        {
          name: "failover",
          limits,
          holders: Stores.of(Stores.cluster(cluster)),
          besides: Stores.cluster(cluster),
          server,
          losses: 1
        },
        (load) =>
          Effect.gen(function* () {
            yield* master.kill
            yield* load.each(Outcome.isFailure)
            return yield* load.each(Outcome.isGrant)
          })
      )
      Outcome.show("kill -9 of a master, cluster", result)
      Outcome.assertReasons(result)
    })
  )
})
