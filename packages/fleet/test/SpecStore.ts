/**
 * The specification of a store: the pure arithmetic, in memory, on the clock of the test.
 */
import { Clock, Effect } from "effect"
import * as Arrival from "./decide/Arrival.ts"
import * as Gcra from "../src/decide/Gcra.ts"
import type { Store } from "../src/fund/store/Store.ts"

/** A call as the store heard it. */
export type Call =
  | { readonly _tag: "take"; readonly key: string; readonly want: number; readonly least: number }
  | { readonly _tag: "put"; readonly key: string; readonly tokens: number }
  | { readonly _tag: "level"; readonly key: string }
  | { readonly _tag: "present"; readonly key: string; readonly member: string }
  | { readonly _tag: "swap"; readonly key: string; readonly expected: string; readonly next: string }

/** What surrounds the decision of a call: the way there and back. */
export type Network<E> = <A>(decide: Effect.Effect<A>, call: Call) => Effect.Effect<A, E>

export interface SpecStore<out E> extends Store<E> {
  /** The calls so far. */
  readonly calls: Array<Call>
}

/** A store of its own. Each decision is one step; without a network it takes no time and never fails. */
export const make = <E = never>(network: Network<E> = (decide) => decide): SpecStore<E> => {
  const arrivals = new Map<string, number>()
  const members = new Map<string, Map<string, number>>()
  const texts = new Map<string, { readonly text: string; readonly untilMillis: number }>()
  const calls: Array<Call> = []
  const decide = <A>(call: Call, decision: (nowMicros: number) => A) =>
    Effect.suspend(() => {
      calls.push(call)
      return network(
        Effect.clockWith((clock: Clock.Clock) =>
          Effect.sync(() => decision(Math.floor(Number(clock.unsafeCurrentTimeNanos()) / 1000)))
        ),
        call
      )
    })
  const arrivalOf = (key: string) => arrivals.get(key) ?? 0
  return {
    calls,
    take: (key, limits, want, least) =>
      decide({ _tag: "take", key, want, least }, (now) => {
        const answer = Arrival.taken(arrivalOf(key), now, Gcra.question(limits, want, least))
        arrivals.set(key, answer.arrival)
        const taken = Gcra.fromAnswer(limits, want, least, answer)
        if (taken._tag === "None") throw new Error(`no answer to ${want} of ${least}`)
        return taken.value
      }),
    put: (key, limits, tokens) =>
      decide({ _tag: "put", key, tokens }, (now) => {
        arrivals.set(key, Arrival.put(arrivalOf(key), now, Gcra.window(limits), Gcra.credit(limits, tokens)))
      }),
    level: (key, limits) =>
      decide({ _tag: "level", key }, (now) =>
        Gcra.tokens(limits, Arrival.room(arrivalOf(key), now, Gcra.window(limits)))
      ),
    present: (group, member, forMillis) =>
      decide({ _tag: "present", key: group, member }, (nowMicros) => {
        const now = nowMicros / 1000
        const present = members.get(group) ?? new Map<string, number>()
        members.set(group, present.set(member, now + forMillis))
        return [...present.values()].filter((untilMillis) => untilMillis > now).length
      }),
    swap: (key, expected, next, forMillis) =>
      decide({ _tag: "swap", key, expected, next }, (nowMicros) => {
        const nowMillis = nowMicros / 1000
        const kept = texts.get(key)
        const text = kept === undefined || kept.untilMillis <= nowMillis ? "" : kept.text
        if (text !== expected || expected === next) return { text, nowMillis }
        texts.set(key, { text: next, untilMillis: nowMillis + forMillis })
        return { text: next, nowMillis }
      })
  }
}

/** Takes all whole tokens there are, as another process would. */
export const drain = <E>(store: SpecStore<E>, key: string, limits: Gcra.Limits): Effect.Effect<void, E> =>
  Effect.gen(function* () {
    const before = store.calls.length
    yield* store.take(key, limits, limits.burst, 0.001)
    store.calls.splice(before)
  })
