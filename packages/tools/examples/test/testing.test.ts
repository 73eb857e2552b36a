import { Arbitraries, SeededRandom, VirtualClock } from "@effect-retry/testing"
import * as vitest from "@effect/vitest"
import { expect, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { law } from "../src/testing-properties.ts"
import { suites } from "../src/testing-suites.ts"
import { expected, test } from "../src/testing-timeline.ts"

// The ways in which docs/testing.md says that its examples become tests.

it.effect("retries what is busy", () => test)

suites(vitest)

it.effect.prop("never makes more calls than it may", [Arbitraries.policy("1 second")], ([policy]) => law(policy))

layer(Layer.merge(VirtualClock.layer, SeededRandom.layer("orders")))("orders", (it) => {
  it.effect("are retried", () => Effect.map(test, (text) => expect(text).toBe(expected)))
})
