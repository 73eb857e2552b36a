import { describe, expect, it } from "@effect/vitest"
import * as Hedges from "../../src/decide/Hedges.ts"

/** What happens to a call, and when: the state after it follows. */
type Happens = readonly [event: "started" | "failed" | "granted" | "closed", atMillis: number, millis?: number]

const play = (limits: Partial<Hedges.Limits>, events: ReadonlyArray<Happens>) =>
  events.reduce<Hedges.Hedges>((state, [event, at, millis]) => {
    const all = { maxAttempts: 4, maxInFlight: 4, deadline: undefined, ...limits }
    if (event === "started") return Hedges.started(state, all, at, millis ?? 500)
    if (event === "failed") return Hedges.failed(state, all, at, millis ?? 0)
    return event === "granted" ? Hedges.granted(state, all, at) : Hedges.closed(state)
  }, Hedges.initial)

// https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Hedging Policy" and "Summary of Retry and Hedging
// Logic".
describe("Hedges", () => {
  it.each<{
    name: string
    limits?: Partial<Hedges.Limits>
    events: ReadonlyArray<Happens>
    due: number
    over?: true
  }>([
    { name: "starts the first attempt at once", events: [], due: -Infinity },
    { name: "starts the next one after the delay", events: [["started", 0]], due: 500 },
    {
      name: "counts the delay from when an attempt starts",
      events: [
        ["started", 0],
        ["started", 507]
      ],
      due: 1_007
    },
    { name: "starts all at once without a delay", events: [["started", 3, 0]], due: 3 },
    {
      name: "starts no more than there may be",
      limits: { maxAttempts: 2 },
      events: [
        ["started", 0],
        ["started", 500]
      ],
      due: Infinity
    },
    {
      name: "starts the next one at once after a failure",
      events: [
        ["started", 0],
        ["failed", 200]
      ],
      due: 200
    },
    {
      name: "goes on at the delay after that",
      events: [
        ["started", 0],
        ["failed", 200],
        ["started", 200]
      ],
      due: 700
    },
    {
      name: "starts the next one after a hint",
      events: [
        ["started", 0],
        ["failed", 200, 70]
      ],
      due: 270
    },
    {
      name: "waits for a hint beyond the delay",
      events: [
        ["started", 0],
        ["failed", 200, 9_000]
      ],
      due: 9_200
    },
    {
      name: "goes on at the delay after a hint",
      events: [
        ["started", 0],
        ["failed", 200, 9_000],
        ["started", 9_200]
      ],
      due: 9_700
    },
    {
      name: "does not undercut a hint by a later failure",
      events: [
        ["started", 0],
        ["started", 500],
        ["failed", 600, 9_000],
        ["failed", 700]
      ],
      due: 9_600
    },
    {
      name: "does not undercut a hint by a shorter one",
      events: [
        ["started", 0],
        ["started", 500],
        ["failed", 600, 9_000],
        ["failed", 700, 10]
      ],
      due: 9_600
    },
    {
      name: "follows a longer hint",
      events: [
        ["started", 0],
        ["started", 500],
        ["failed", 600, 10],
        ["failed", 605, 9_000]
      ],
      due: 9_605
    },
    {
      name: "starts none after an endless hint",
      events: [
        ["started", 0],
        ["started", 500],
        ["failed", 600, Infinity],
        ["failed", 700]
      ],
      due: Infinity,
      over: true
    },
    {
      name: "is not over while an attempt runs",
      events: [
        ["started", 0],
        ["closed", 0]
      ],
      due: Infinity
    },
    {
      name: "starts none once it is closed",
      events: [
        ["started", 0],
        ["closed", 0],
        ["failed", 1]
      ],
      due: Infinity,
      over: true
    },
    {
      name: "starts none at the limit of time",
      limits: { deadline: { _tag: "Refuse", withinMillis: 500, reserveMillis: 0 } },
      events: [["started", 0]],
      due: Infinity
    },
    {
      name: "starts one before the limit of time",
      limits: { deadline: { _tag: "Refuse", withinMillis: 501, reserveMillis: 0 } },
      events: [["started", 0]],
      due: 500
    },
    {
      name: "starts none while as many run as may",
      limits: { maxInFlight: 2 },
      events: [
        ["started", 0],
        ["started", 500]
      ],
      due: Infinity
    },
    {
      name: "starts the next one when one of as many as may run has failed",
      limits: { maxInFlight: 2 },
      events: [
        ["started", 0],
        ["started", 500],
        ["failed", 700]
      ],
      due: 700
    },
    {
      name: "starts the last one early under a deadline that truncates",
      limits: { deadline: { _tag: "Truncate", withinMillis: 500, reserveMillis: 100 } },
      events: [["started", 0]],
      due: 400
    },
    {
      name: "leaves a deadline that cuts to end the wait",
      limits: { deadline: { _tag: "Cut", withinMillis: 100, reserveMillis: 0 } },
      events: [["started", 0]],
      due: 500
    },
    {
      name: "starts a later one before the limit of time",
      limits: { deadline: { _tag: "Refuse", withinMillis: 1_001, reserveMillis: 0 } },
      events: [
        ["started", 0],
        ["started", 500]
      ],
      due: 1_000
    },
    {
      name: "starts at once what the bucket has granted",
      events: [
        ["started", 0],
        ["granted", 530]
      ],
      due: 530
    },
    {
      name: "starts what the bucket has granted after a hint that is still running",
      events: [
        ["started", 0],
        ["started", 500],
        ["failed", 600, 9_000],
        ["granted", 700]
      ],
      due: 9_600
    },
    {
      name: "does not start what the bucket has granted too late",
      limits: { deadline: { _tag: "Refuse", withinMillis: 530, reserveMillis: 0 } },
      events: [
        ["started", 0],
        ["granted", 530]
      ],
      due: Infinity
    },
    {
      name: "is over where the last attempt has failed",
      limits: { maxAttempts: 1 },
      events: [
        ["started", 0],
        ["failed", 1]
      ],
      due: Infinity,
      over: true
    }
  ])("$name", ({ due, events, limits = {}, over = false }) => {
    const state = play(limits, events)
    expect([state.dueMillis, Hedges.isOver(state)]).toEqual([due, over])
    expect(state.started).toBe(events.filter(([event]) => event === "started").length)
    expect(state.running).toBe(state.started - events.filter(([event]) => event === "failed").length)
  })
})
