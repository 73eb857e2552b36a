import { SendRate } from "@effect-retry/core"
import { SendRateContract } from "@effect-retry/testing"
import * as vitest from "@effect/vitest"
import { Context, Effect, Layer } from "effect"

/** It limits nothing before it has heard of a throttle. */
const throttled = <E>(make: Effect.Effect<SendRate.SendRate, E>) => Effect.tap(make, (rate) => rate.heard("Throttled"))

const adaptive = (options?: SendRate.Adaptive) => throttled(SendRate.makeAdaptive(options))

const keyed = (rate: Effect.Effect<SendRate.SendRate>) =>
  SendRate.makeKeyed({ rate, maxKeys: 3, idleTimeToLive: "1 hour" })

const rates: ReadonlyArray<readonly [string, SendRateContract.Make, SendRateContract.Options?]> = [
  ["SendRate.unlimited", Effect.succeed(SendRate.unlimited), { grants: "all" }],
  ["SendRate.layerUnlimited", SendRate.layerUnlimited(SendRate.Default), { grants: "all" }],
  ["SendRate.makeFixed", SendRate.makeFixed({ rate: 2, burst: 5 })],
  ["SendRate.layerFixed", SendRate.layerFixed(SendRate.Default, { rate: 0.3, burst: 1 })],
  ["SendRate.makeFixed above a thousand per second", SendRate.makeFixed({ rate: 5_000, burst: 10 })],
  ["SendRate.makeFixed with a longest wait", SendRate.makeFixed({ rate: 2, burst: 3, maxWait: "1 minute" })],
  ["SendRate.makeFixed that refuses", SendRate.makeFixed({ rate: 2, burst: 5, whenShort: "refuse" }), { waits: false }],
  ["SendRate.makeAdaptive once throttled", adaptive()],
  [
    "SendRate.layerAdaptive once throttled",
    Layer.tap(SendRate.layerAdaptive(SendRate.Default), (built) =>
      Context.get(built, SendRate.Default).heard("Throttled")
    )
  ],
  ["SendRate.makeAdaptive once throttled, that refuses", adaptive({ whenShort: "refuse" }), { waits: false }],
  ["SendRate.makeAcceptRatio", SendRate.makeAcceptRatio(), { grants: "by chance" }],
  ["SendRate.layerAcceptRatio", SendRate.layerAcceptRatio(SendRate.Default, { K: 1.1 }), { grants: "by chance" }],
  ["SendRate.makeKeyed of fixed rates", keyed(SendRate.makeFixed({ rate: 2, burst: 5 }))],
  ["SendRate.makeKeyed of adaptive rates", throttled(keyed(SendRate.makeAdaptive()))],
  ["SendRate.makeKeyed of accept ratios", keyed(SendRate.makeAcceptRatio()), { grants: "by chance" }]
]

for (const [name, make, options] of rates) SendRateContract.suite(vitest, name, make, options)
