import { describe, expect, it } from "@effect/vitest"
import * as Hedges from "../../src/decide/Hedges.ts"

/** What happens to a call, and when: the state after it follows. */
type Happens = readonly [event: "sent" | "failed" | "closed", atMillis: number, pushbackMillis?: number]

const play = (limits: Partial<Hedges.Limits>, events: ReadonlyArray<Happens>) =>
  events.reduce<Hedges.Hedges>((state, [event, at, pushback]) => {
    const all = { maxAttempts: 4, delayMillis: 500, untilMillis: Infinity, ...limits }
    if (event === "sent") return Hedges.sent(state, all, at)
    return event === "failed" ? Hedges.failed(state, all, at, pushback) : Hedges.closed(state)
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
    { name: "sends the first attempt at once", events: [], due: -Infinity },
    { name: "sends the next one after the delay", events: [["sent", 0]], due: 500 },
    {
      name: "counts the delay from when an attempt is sent",
      events: [
        ["sent", 0],
        ["sent", 507]
      ],
      due: 1_007
    },
    { name: "sends all at once without a delay", limits: { delayMillis: 0 }, events: [["sent", 3]], due: 3 },
    {
      name: "sends no more than there may be",
      limits: { maxAttempts: 2 },
      events: [
        ["sent", 0],
        ["sent", 500]
      ],
      due: Infinity
    },
    {
      name: "sends the next one at once after a failure",
      events: [
        ["sent", 0],
        ["failed", 200]
      ],
      due: 200
    },
    {
      name: "goes on at the delay after that",
      events: [
        ["sent", 0],
        ["failed", 200],
        ["sent", 200]
      ],
      due: 700
    },
    {
      name: "sends the next one after a pushback",
      events: [
        ["sent", 0],
        ["failed", 200, 70]
      ],
      due: 270
    },
    {
      name: "waits for a pushback beyond the delay",
      events: [
        ["sent", 0],
        ["failed", 200, 9_000]
      ],
      due: 9_200
    },
    {
      name: "goes on at the delay after a pushback",
      events: [
        ["sent", 0],
        ["failed", 200, 9_000],
        ["sent", 9_200]
      ],
      due: 9_700
    },
    {
      name: "does not undercut a pushback by a later failure",
      events: [
        ["sent", 0],
        ["sent", 500],
        ["failed", 600, 9_000],
        ["failed", 700]
      ],
      due: 9_600
    },
    {
      name: "does not undercut a pushback by a shorter one",
      events: [
        ["sent", 0],
        ["sent", 500],
        ["failed", 600, 9_000],
        ["failed", 700, 10]
      ],
      due: 9_600
    },
    {
      name: "follows a longer pushback",
      events: [
        ["sent", 0],
        ["sent", 500],
        ["failed", 600, 10],
        ["failed", 605, 9_000]
      ],
      due: 9_605
    },
    {
      name: "sends none after an endless pushback",
      events: [
        ["sent", 0],
        ["sent", 500],
        ["failed", 600, Infinity],
        ["failed", 700]
      ],
      due: Infinity,
      over: true
    },
    {
      name: "is not over while an attempt runs",
      events: [
        ["sent", 0],
        ["closed", 0]
      ],
      due: Infinity
    },
    {
      name: "sends none once it is closed",
      events: [
        ["sent", 0],
        ["closed", 0],
        ["failed", 1]
      ],
      due: Infinity,
      over: true
    },
    {
      name: "sends none at the limit of time",
      limits: { untilMillis: 500 },
      events: [["sent", 0]],
      due: Infinity
    },
    { name: "sends one before the limit of time", limits: { untilMillis: 501 }, events: [["sent", 0]], due: 500 },
    {
      name: "is over where the last attempt has failed",
      limits: { maxAttempts: 1 },
      events: [
        ["sent", 0],
        ["failed", 1]
      ],
      due: Infinity,
      over: true
    }
  ])("$name", ({ due, events, limits = {}, over = false }) => {
    const state = play(limits, events)
    expect([state.dueMillis, Hedges.isOver(state)]).toEqual([due, over])
    expect(state.sent).toBe(events.filter(([event]) => event === "sent").length)
    expect(state.running).toBe(state.sent - events.filter(([event]) => event === "failed").length)
  })
})
