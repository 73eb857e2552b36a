/**
 * The pictures of the documentation by the names of their files, each drawn from runs in virtual time.
 */
import { Backoff, Policy, TokenBucket } from "@effect-retry/core"
import { Load } from "@effect-retry/plan"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { timelines } from "../../examples/src/side-by-side.ts"
import * as Breakers from "../../storms/src/Breakers.ts"
import * as Hedges from "../../storms/src/Hedges.ts"
import * as Traffic from "../../storms/src/Traffic.ts"
import * as Bars from "./Bars.ts"
import * as Curves from "./Curves.ts"
import * as Delays from "./Delays.ts"
import * as Levels from "./Levels.ts"
import * as Strips from "./Strips.ts"
import * as Timelines from "./Timelines.ts"
import * as Vendors from "./Vendors.ts"

const hint = Effect.map(timelines, ({ overloaded: { native, ours } }) =>
  Timelines.draw({
    title: "A server that says when to come back",
    intro: "It is overloaded for three seconds, and answers every request with: again in 3 seconds.",
    runs: { "Effect.retry": native, "Retry.retry": ours },
    axis: { until: 5, step: 1 },
    band: { until: 3, name: "overloaded" }
  })
)

const deadline = Effect.map(timelines, ({ hanging: { native, ours } }) =>
  Timelines.draw({
    title: "A server that does not answer",
    intro: "Attempts end after three seconds each, and the operation should end after ten.",
    runs: { "Effect.retry": native, "Retry.retry": ours },
    axis: { until: 18, step: 2 },
    deadline: 10
  })
)

const thrice: Policy.Preset = { maxAttempts: 3, backoff: Backoff.constant({ delay: 0 }) }

const storms = {
  "no retries": { tone: "plain", client: { policy: Policy.once } },
  "3 attempts": { tone: "bad", client: { policy: thrice } },
  "3 attempts and a budget": {
    tone: "good",
    client: { policy: thrice, bucket: TokenBucket.successRatio({ ratio: 0.1, capacity: 10 }) }
  }
} as const

/** Three rows of docs/buckets.md#recovery at half of the capacity; a server half as large takes half as long to simulate. */
const outage = {
  load: 0.5,
  seed: 2,
  clients: 5,
  patience: "20 seconds",
  server: { capacityPerSecond: 50 }
} as const satisfies Load.RecoveryOptions

const recovery = Effect.gen(function* () {
  const clients = yield* Effect.forEach(Object.entries(storms), ([name, { client, tone }]) =>
    Effect.map(Load.recovery(client, outage), ({ seconds }) => ({
      name,
      tone,
      seconds
    }))
  )
  return Curves.draw({
    title: "After an outage, retries can keep a server down",
    intro: "A server for 50 requests per second gets 25 from five clients, and stands still for ten seconds.",
    clients,
    outage: { from: 60, to: 70 },
    from: 50,
    until: Math.min(...clients.map(({ seconds }) => seconds.length)) - 10,
    most: 30
  })
})

const names = {
  none: "3 attempts, no guard",
  bucket: "a retry budget",
  fixed: "a rate limiter",
  concurrency: "a limit of concurrency",
  aimd: "adaptive concurrency",
  acceptRatio: "an accept ratio and a budget",
  breaker: "a circuit breaker",
  ofWhole: "a breaker for all shards",
  ofShard: "a breaker for each shard",
  aimdOfShard: "adaptive limits for each shard",
  ignored: "3 attempts, hint ignored",
  hint: "3 attempts, hint rule",
  hintAndBudget: "hint rule and a budget",
  pause: "a pause and a budget"
}

const sixty = { outage: { from: 60, to: 80 }, from: 55, until: 98 }

const stripsOf = (
  clients: { readonly [K in keyof typeof names]?: Load.Client },
  run: (client: Load.Client) => Effect.Effect<Load.Recovery>
) =>
  Effect.forEach(Object.entries(clients), ([guard, client]) =>
    Effect.map(run(client), ({ seconds }) => ({ name: names[guard as keyof typeof names], seconds }))
  )

/** Rows of docs/circuit-breakers.md#measured, and two limits of what is sent. */
const guards = Effect.map(stripsOf(Breakers.guards.whole, Breakers.whole), (strips) =>
  Strips.draw({
    title: "Guards in the same outage",
    intro: "A server for 50 requests per second gets 15 from three clients, and stands still for twenty seconds.",
    strips,
    ...sixty,
    most: 60
  })
)

/** Rows of the same table: an outage of one shard of ten. */
const shards = Effect.map(
  stripsOf(Breakers.guards.part, (client) => Breakers.part(client, "30 seconds")),
  (strips) =>
    Strips.draw({
      title: "One shard of ten in an outage",
      intro: "The same server has ten shards, of which one stands still for twenty seconds.",
      strips,
      ...sixty,
      most: 30
    })
)

/** The outage of the whole server, which now answers. */
const hinted = Effect.zipWith(stripsOf(Breakers.guards.hinted, Breakers.hinted), Traffic.paced, (strips, seconds) =>
  Strips.draw({
    title: "An outage in which the server says when to come back",
    intro: "The same server refuses every request for twenty seconds, and tells when that will be over.",
    strips: [...strips, { name: "a pace learned from headers", seconds }],
    ...sixty,
    most: 60
  })
)

const ofPriority = (name: string, seconds: Strips.Strip["seconds"]): Strips.Strip => ({
  name,
  phrase: `Of requests that are ${name}`,
  seconds
})

/** The outage of the whole server, for requests that matter and for others. */
const priorities = Effect.zipWith(Traffic.prioritised(false), Traffic.prioritised(true), (untold, told) =>
  Strips.draw({
    title: "Priorities in the same outage",
    intro:
      "Each of the three clients has three attempts in flight, others wait, and half of the requests are critical.",
    strips: [
      ofPriority("critical, without priorities", untold.critical),
      ofPriority("sheddable, without priorities", untold.sheddable),
      ofPriority("critical, with priorities", told.critical),
      ofPriority("sheddable, with priorities", told.sheddable)
    ],
    ...sixty,
    most: 40
  })
)

const tones: Readonly<Record<string, Bars.BarRow["tone"]>> = { "no hedge": "quiet", "after 60 ms": "bad" }

/** The last column of the table of docs/hedging.md, which `pnpm storms hedges` writes: a run of it takes minutes. */
const hedges = Effect.sync(() =>
  Bars.draw({
    title: "Hedges shorten the slowest answers, and add load",
    intro: "Twenty servers at 60 % of what they can serve; one request in fifty takes ten times as long.",
    rows: Hedges.measured(readFileSync(new URL("../../../../docs/hedging.md", import.meta.url), "utf8")).map(
      ({ name, p99Millis, work }) => ({ name, tone: tones[name] ?? "good", p99Millis, work })
    )
  })
)

/**
 * @category destructors
 */
export const pictures: Readonly<Record<string, Effect.Effect<string>>> = {
  "timeline-hint.svg": hint,
  "timeline-deadline.svg": deadline,
  "recovery.svg": recovery,
  "guards.svg": guards,
  "guards-shard.svg": shards,
  "guards-hint.svg": hinted,
  "guards-priority.svg": priorities,
  "hedges.svg": hedges,
  "curves.svg": Effect.sync(Delays.curves),
  "jitters.svg": Effect.sync(Delays.jitters),
  "classics.svg": Effect.sync(Delays.classics),
  "aws.svg": Effect.sync(Vendors.aws),
  "aws-legacy.svg": Effect.sync(Vendors.awsLegacy),
  "google.svg": Effect.sync(Vendors.google),
  "grpc.svg": Effect.sync(Vendors.grpc),
  "buckets.svg": Levels.ofBuckets,
  "limiters.svg": Levels.ofLimiters
}
