/**
 * What the tests of shared buckets have in common: specification stores, and attempts that ask.
 */
import type { TokenBucket } from "@effect-retry/core"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { Deferred, Effect, Fiber, Option, Random } from "effect"
import { type Asked, isGranted } from "../../../../core/test/fund/Asking.ts"
import type { FleetStore } from "../../../src/fund/fleet/FleetBucket.ts"
import * as SpecStore from "../../SpecStore.ts"

export { acquire as ask, isGranted, succeed } from "../../../../core/test/fund/Asking.ts"

/** How the store of a test fails. */
export type StoreError = "away" | "timed out"

export const fleetOf = <E = never>(store: SpecStore.SpecStore<E>): FleetStore<E | StoreError> => ({
  store,
  timedOut: () => "timed out"
})

/** Asks at once, so many times. */
export const grants = <E>(bucket: Pick<TokenBucket.TokenBucket<E>, "acquire">, times: number, asked?: Asked) =>
  Effect.map(Effect.replicateEffect(isGranted(bucket, asked), times), (all) => all.filter((granted) => granted).length)

/** In virtual time, with a seed, and in a scope that ends there too. */
export const inVirtualTime = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  self.pipe(Effect.scoped, VirtualClock.run, Effect.provide(SeededRandom.layer("shared buckets")))

/** With the same draws over and over. */
export const drawing = (...draws: [number, ...Array<number>]) => Effect.withRandom(Random.fixed(draws))

/** Lets all other fibers run until they wait for something; no time passes. */
export const settled = Effect.asVoid(Effect.replicateEffect(Effect.yieldNow(), 25))

/** Runs in the background. */
export const begin = <A, E>(self: Effect.Effect<A, E>) => Effect.zipLeft(Effect.forkDaemon(self), settled)

export const ended = <A, E>(fiber: Fiber.Fiber<A, E>) => Effect.map(Fiber.poll(fiber), Option.isSome)

/** A store of a program's own that throws when it is called, while it is broken. */
export const throwingStore = () => {
  const { calls, ...store } = SpecStore.make()
  const thrown = new Error("broken")
  let isBroken = false
  const throwing =
    <A extends ReadonlyArray<unknown>, B>(call: (...args: A) => B) =>
    (...args: A): B => {
      if (isBroken) throw thrown
      return call(...args)
    }
  return {
    thrown,
    store: {
      calls,
      take: throwing(store.take),
      put: throwing(store.put),
      level: throwing(store.level),
      present: throwing(store.present),
      swap: throwing(store.swap)
    } satisfies SpecStore.SpecStore<never>,
    breakDown: () => {
      isBroken = true
    },
    mend: () => {
      isBroken = false
    }
  }
}

/** A network that the test opens, closes and lets fail. It is open at first. */
export const makeNetwork = Effect.sync(() => {
  let gate: Deferred.Deferred<void> | undefined
  let isAway = false
  const network: SpecStore.Network<StoreError> = (decide) =>
    Effect.suspend(() => {
      if (isAway) return Effect.fail("away" as const)
      return gate === undefined ? decide : Effect.zipRight(Deferred.await(gate), decide)
    })
  return {
    store: SpecStore.make(network),
    /** Calls that come now wait until it is opened. */
    hold: Effect.map(Deferred.make<void>(), (held) => {
      gate = held
    }),
    open: Effect.suspend(() => {
      const held = gate
      gate = undefined
      isAway = false
      return held === undefined ? Effect.void : Effect.zipRight(Deferred.succeed(held, undefined), settled)
    }),
    fail: Effect.sync(() => {
      isAway = true
    })
  }
})
