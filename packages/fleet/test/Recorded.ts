/**
 * Histories of clients that ask a real store at the same time, with the time at which the store ran each call.
 */
import type { Store } from "@effect-retry/fleet"
import { Effect, Either, Option } from "effect"
import * as Arrival from "./decide/Arrival.ts"
import * as Gcra from "../src/decide/Gcra.ts"
import type { Event, Specification } from "./Linearisable.ts"
import { firstUnexplained } from "./Linearisable.ts"

export type Call =
  | { readonly _tag: "take"; readonly want: number; readonly least: number }
  | { readonly _tag: "put"; readonly tokens: number }
  | { readonly _tag: "level" }

/** A call, and when the store ran it in microseconds, once that is known. */
export interface Sent {
  readonly call: Call
  /** Whether the client gets no answer. */
  readonly isLost: boolean
  atMicros: number | undefined
}

type History = ReadonlyArray<Event<Sent>>

/** A client in one history. */
export interface Client<E> {
  readonly store: Store.Store<E>
  /** Told of a call before it is sent. */
  readonly sends: (sent: Sent) => void
}

/** What is asked of a bucket, by several clients. */
export interface Program {
  readonly limits: Gcra.Limits
  readonly calls: ReadonlyArray<ReadonlyArray<{ readonly call: Call; readonly isLost: boolean }>>
}

export const specificationOf = (limits: Gcra.Limits): Specification<number, Sent> => {
  const window = Gcra.window(limits)
  return {
    keyOf: String,
    apply: (arrival, { atMicros: now, call }) => {
      if (now === undefined) return ["the store did not run it", arrival]
      if (call._tag === "level") return [wordOf(Gcra.tokens(limits, Arrival.room(arrival, now, window))), arrival]
      if (call._tag === "put") {
        // A full bucket is left alone: a statement with an earlier time, which runs later, finds it as it was.
        return ["", arrival <= now ? arrival : Arrival.put(arrival, now, window, Gcra.credit(limits, call.tokens))]
      }
      const answer = Arrival.taken(arrival, now, Gcra.question(limits, call.want, call.least))
      return [wordOf(Option.getOrThrow(Gcra.fromAnswer(limits, call.want, call.least, answer))), answer.arrival]
    }
  }
}

const wordOf = (answer: number | Gcra.Taken): string =>
  typeof answer === "number" ? `${answer}` : `${answer.granted}, ${answer.retryAfterMillis}, ${answer.level}`

const run = <E>({ store }: Client<E>, key: string, limits: Gcra.Limits, call: Call): Effect.Effect<string, E> => {
  switch (call._tag) {
    case "take":
      return Effect.map(store.take(key, limits, call.want, call.least), wordOf)
    case "put":
      return Effect.as(store.put(key, limits, call.tokens), "")
    case "level":
      return Effect.map(store.level(key, limits), wordOf)
  }
}

/** Lets clients make their calls at the same time. A call without an answer has no end in the history. */
export const record = <E>(
  makeClient: (number: number) => Client<E>,
  key: string,
  { calls, limits }: Program
): Effect.Effect<History> =>
  Effect.suspend(() => {
    const history: Array<Event<Sent>> = []
    const making = calls.map((calls, number) => {
      const client = makeClient(number)
      return Effect.forEach(
        calls,
        ({ call, isLost }, index) => {
          const id = `client ${number}, call ${index}`
          const sent: Sent = { call, isLost, atMicros: undefined }
          history.push({ _tag: "Begin", id, call: sent })
          client.sends(sent)
          return Effect.map(Effect.either(run(client, key, limits, call)), (answer) => {
            if (Either.isRight(answer)) history.push({ _tag: "End", id, answer: answer.right })
          })
        },
        { discard: true }
      )
    })
    return Effect.as(Effect.all(making, { concurrency: "unbounded", discard: true }), history)
  })

export interface Recorded {
  readonly program: Program
  readonly history: History
}

/** The histories that have no explanation, and how many answers there were in all. */
export const judge = (recorded: ReadonlyArray<Recorded>) => {
  const unexplained: Array<Recorded> = []
  const seen = { answers: 0, lost: 0, refusals: 0 }
  for (const { history, program } of recorded) {
    const specification = specificationOf(program.limits)
    if (firstUnexplained(specification, 0, history) !== undefined) unexplained.push({ history, program })
    for (const event of history) {
      if (event._tag === "Begin") seen.lost += event.call.isLost ? 1 : 0
      else {
        seen.answers += 1
        if (event.answer.startsWith("0, ")) seen.refusals += 1
      }
    }
  }
  return { unexplained, seen }
}

/** Numbers in [0, 1), the same for the same seed: Lehmer's generator with the multiplier of MINSTD, 48271. */
const drawsOf = (seed: number): (() => number) => {
  let state = (seed % 2_147_483_646) + 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

/** Programs of three clients with nine calls, on buckets of at most four tokens. */
export const programs = (count: number, seed: number): ReadonlyArray<Program> => {
  const draw = drawsOf(seed)
  const upTo = (most: number) => 1 + Math.floor(draw() * most)
  const call = (): Call => {
    const kind = draw()
    if (kind < 0.2) return { _tag: "put", tokens: upTo(6) / 2 }
    if (kind < 0.3) return { _tag: "level" }
    const want = upTo(3)
    return { _tag: "take", want, least: Math.min(want, upTo(3) / 2) }
  }
  return Array.from({ length: count }, () => ({
    limits: { burst: upTo(4), perSecond: 10 ** upTo(4) },
    calls: Array.from({ length: 3 }, () => Array.from({ length: 3 }, () => ({ call: call(), isLost: draw() < 0.05 })))
  }))
}
