import { describe, expect, it } from "vitest"
import * as Gcra from "../src/decide/Gcra.ts"
import type { Bucket, Found, Law, Options } from "./SmallFleet.ts"
import { explore } from "./SmallFleet.ts"

/** A lease of two tokens or one; the clock goes back or forward by two ticks. */
const fleet: Options = { ticks: 4, losses: 0, steps: [2, -2], asks: [[2, 1]], asksOnceIn: "tick" }

const explorations: ReadonlyArray<readonly [name: string, options: Options, found: Extract<Found, { _tag: "Kept" }>]> =
  [
    [
      "clients that ask in every tick while the clock is set",
      fleet,
      { _tag: "Kept", histories: 12_583_482_851_914_788n, worlds: 3199, refusals: 1117 }
    ],
    [
      "clients that ask once, one of which loses a call or an answer, or crashes, while the clock is set",
      { ...fleet, losses: 1, asksOnceIn: "history" },
      { _tag: "Kept", histories: 11_527_410n, worlds: 40_255, refusals: 1287 }
    ]
  ]

const { put, taken } = Gcra

/** Grants from an arrival time as it is. */
const takenFrom = (from: number, now: number, { least, want, window }: Gcra.Question): Gcra.Answer => {
  const room = now + window - from
  const granted = Math.min(want, room)
  return granted < least
    ? { granted: 0, retryAfter: least - room, room, arrival: from }
    : { granted, retryAfter: 0, room: room - granted, arrival: from + granted }
}

const learnsLate: Bucket = {
  put,
  taken: (arrival, now, question) => {
    const from = Math.max(arrival, now)
    if (from >= now + question.window) return taken(arrival, now, question)
    const room = Math.max(0, now + question.window - from - question.want)
    return { granted: question.want, retryAfter: 0, room, arrival: from + question.want }
  }
}

const keepsAnyArrival: Bucket = {
  put,
  taken: (arrival, now, question) => takenFrom(Math.max(arrival, now), now, question)
}

const fillsAboveBurst: Bucket = {
  put: (arrival, now, window, credit) => Math.min(arrival, now + window) - credit,
  taken: (arrival, now, question) => takenFrom(Math.min(arrival, now + question.window), now, question)
}

const refusalWrites: Bucket = {
  put,
  taken: (arrival, now, question) => {
    const answer = taken(arrival, now, question)
    return answer.granted > 0 ? answer : { ...answer, arrival: now + question.window }
  }
}

const grantsTwice: Bucket = { put, taken: (arrival, now, question) => ({ ...taken(arrival, now, question), arrival }) }

const refusesTooMuch: Bucket = {
  put,
  taken: (arrival, now, question) => taken(arrival, now, { ...question, least: question.want + 1 })
}

/** What is wrong, and the law by which that shows. */
const mutants: ReadonlyArray<readonly [name: string, mutant: Partial<Options>, law: Law]> = [
  [
    "a specification that learns of tokens after they were spent",
    { specification: learnsLate },
    "no arrival time is stored that is beyond a window"
  ],
  [
    "a specification that keeps any arrival time",
    { specification: keepsAnyArrival },
    "no arrival time is stored that is beyond a window"
  ],
  [
    "a specification that fills above its burst",
    { specification: fillsAboveBurst },
    "in no time is more granted than burst and rate allow"
  ],
  [
    "a specification that grants tokens twice",
    { specification: grantsTwice },
    "in no time is more granted than burst and rate allow"
  ],
  [
    "a specification whose refusals write",
    { specification: refusalWrites, asks: [[3, 2]] },
    "what is refused could not be granted"
  ],
  [
    "a specification that refuses what it could grant",
    { specification: refusesTooMuch },
    "what is refused could not be granted"
  ],
  ["a store that fills above its burst", { store: fillsAboveBurst }, "every answer has an explanation"],
  ["a store that grants tokens twice", { store: grantsTwice }, "every answer has an explanation"],
  ["a store whose refusals write", { store: refusalWrites, asks: [[3, 2]] }, "every answer has an explanation"],
  [
    "a store that reads for one client before it has written for another",
    { isAtomic: false },
    "what is refused could not be granted"
  ],
  [
    "a client that puts tokens back again where no answer came",
    { heldAfterLostPut: (tokens) => tokens },
    "no token is granted twice"
  ]
]

describe("a small fleet", () => {
  for (const [name, options, found] of explorations) {
    it(`keeps the laws in every history of ${name}`, () => {
      expect(explore(options)).toEqual(found)
    })
  }

  for (const [name, mutant, law] of mutants) {
    it(`breaks a law with ${name}`, () => {
      expect(explore({ ...fleet, losses: 1, ...mutant })).toMatchObject({ _tag: "Broken", law })
    })
  }
})
