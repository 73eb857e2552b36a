import { describe, expect, it } from "vitest"
import * as Arrival from "./decide/Arrival.ts"
import * as Gcra from "../src/decide/Gcra.ts"
import type { Bucket, Found, Law, Options } from "./SmallFleet.ts"
import { explore, fleet } from "./SmallFleet.ts"

const explorations: ReadonlyArray<readonly [name: string, options: Options, found: Extract<Found, { _tag: "Kept" }>]> =
  [
    [
      "clients that ask in every tick while the clock is set",
      fleet,
      { _tag: "Kept", histories: 14_417_801_703_004_830n, worlds: 12_793, refusals: 4604 }
    ],
    [
      "clients that ask once in two ticks, one of which loses a call or an answer, or crashes, while the clock is set",
      { ...fleet, ticks: 2, losses: 1, asksOnceIn: "history" },
      { _tag: "Kept", histories: 771_024n, worlds: 13_512, refusals: 861 }
    ]
  ]

const { put, taken } = Arrival

/** Grants from an arrival time as it is. */
const takenFrom = (from: number, now: number, { least, want, window }: Gcra.Question): Arrival.Answer => {
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

/** The fault, and the law that finds it. */
const mutants: ReadonlyArray<readonly [name: string, mutant: Partial<Options>, law: Law]> = [
  [
    "a specification that learns of tokens after they were spent",
    { specification: learnsLate },
    "no arrival time is stored that is beyond a window"
  ],
  [
    "a specification that keeps any arrival time",
    { specification: keepsAnyArrival },
    "what is refused could not be granted"
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
    "a refusal writes nothing"
  ],
  [
    "a specification that refuses what it could grant",
    { specification: refusesTooMuch },
    "what is refused could not be granted"
  ],
  ["a store that fills above its burst", { store: fillsAboveBurst }, "every answer has an explanation"],
  ["a store that grants tokens twice", { store: grantsTwice }, "every answer has an explanation"],
  ["a store whose refusals write", { store: refusalWrites, asks: [[3, 2]] }, "a refusal writes nothing"],
  [
    "a store that reads for one client before it has written for another",
    { isAtomic: false },
    "what is refused could not be granted"
  ],
  [
    "clients that hold tokens beyond their leases",
    { lease: 0, losses: 0 },
    "in no time is more spent than burst, rate and leases allow"
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
