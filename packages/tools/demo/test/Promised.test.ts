import { Verdict } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Option } from "effect"
import * as Promised from "../src/Promised.ts"
import type { Run } from "../src/Run.ts"
import * as Script from "../src/Script.ts"
import * as Runs from "./support/Runs.ts"

const limits = { timeoutMillis: 500, deadlineMillis: 1000 }
const delayMillis = () => 600

/** The run with its attempt `i` changed; the server's list follows. */
const changed = (run: Run, i: number, change: Partial<Run["attempts"][number]>): Run => {
  const attempts = run.attempts.map((attempt, j) => (i === j ? { ...attempt, ...change } : attempt))
  return { ...run, attempts, arrivals: attempts.flatMap(({ seen }) => (seen === undefined ? [] : [seen])) }
}

const seen = (run: Run, i: number, change: Partial<NonNullable<Run["attempts"][number]["seen"]>>) => {
  const before = run.attempts[i]?.seen
  return changed(run, i, { seen: before && { ...before, ...change } })
}

const told = (run: Run, i: number, change: Partial<NonNullable<Run["attempts"][number]["told"]>>) => {
  const before = run.attempts[i]?.told
  return changed(run, i, { told: before && { ...before, ...change } })
}

const spent = Runs.stopped({ _tag: "AttemptsSpent", maxAttempts: 2 })

interface Case {
  readonly promise: string
  readonly check: (run: Run) => Promised.Promised
  readonly kept: Run
  readonly broken: ReadonlyArray<readonly [run: Run, seen: string]>
}

const cases: ReadonlyArray<Case> = [
  {
    promise: "succeeds",
    check: Promised.succeeds,
    kept: Runs.twoFailures,
    broken: [[Runs.final, "stopped: not retryable, 404 is final"]]
  },
  {
    promise: "stopsBecause",
    check: (run) => Promised.stopsBecause(run, "DeadlinePassed"),
    kept: Runs.refused,
    broken: [
      [{ ...Runs.refused, ending: spent }, "stopped: all 2 attempts spent"],
      [Runs.twoFailures, "it succeeded"]
    ]
  },
  {
    promise: "requests",
    check: (run) => Promised.requests(run, 3),
    kept: Runs.twoFailures,
    broken: [
      [Runs.hinted, "it saw 2 requests"],
      [Runs.final, "it saw 1 request"]
    ]
  },
  {
    promise: "atMostAttempts",
    check: (run) => Promised.atMostAttempts(run, 2),
    kept: Runs.hinted,
    broken: [
      [Runs.twoFailures, "there were 3 attempts"],
      [{ ...Runs.hinted, arrivals: Runs.twoFailures.arrivals }, "there were 3 attempts"]
    ]
  },
  {
    promise: "tellsAll",
    check: (run) => Promised.tellsAll(run, limits),
    kept: changed(Runs.cut, 0, { seen: undefined }),
    broken: [
      [changed(Runs.twoFailures, 1, { seen: undefined }), "attempt 2 was not seen"],
      [changed(Runs.twoFailures, 1, { told: undefined }), "attempt 2 was not told"],
      [{ ...Runs.refused, ending: Runs.succeeded }, "attempt 2 was told as failed"],
      [{ ...Runs.hinted, arrivals: Runs.twoFailures.arrivals }, "1 request of no attempt"]
    ]
  },
  {
    promise: "tellsTruth",
    check: (run) => Promised.tellsTruth(run, limits),
    kept: Runs.hinted,
    broken: [
      [told(Runs.hinted, 0, { verdict: Verdict.server }), "attempt 1 was told as Server, the answer was Throttling"],
      [seen(Runs.twoFailures, 0, { answer: Script.reset }), "attempt 1 was told as Server, the answer was Transient"],
      [seen(Runs.final, 0, { answer: Runs.ok }), "attempt 1 was told as Terminal, the answer was a success"],
      [seen(Runs.twoFailures, 2, { answer: Runs.unavailable }), "it succeeded, the answer was 503"]
    ]
  },
  {
    promise: "kinds",
    check: (run) => Promised.kinds(run, ["Server", "Server"]),
    kept: Runs.twoFailures,
    broken: [
      [Runs.hinted, "it was Throttling"],
      [told(Runs.twoFailures, 1, { verdict: Verdict.timeout }), "it was Server, then Timeout"]
    ]
  },
  {
    promise: "waits",
    check: (run) => Promised.waits(run, [98, 200]),
    kept: Runs.twoFailures,
    broken: [
      [told(Runs.twoFailures, 0, { delay: Option.some(Duration.millis(99)) }), "wait 1 was 99 ms, its bound 98 ms"],
      [seen(Runs.twoFailures, 2, { atMillis: 297 }), "wait 2 was to be 198 ms, and was 197 ms"]
    ]
  },
  {
    promise: "hintsHonoured",
    check: Promised.hintsHonoured,
    kept: seen(Runs.hinted, 1, { atMillis: 1000 }),
    broken: [[seen(Runs.hinted, 1, { atMillis: 999 }), "asked for 1000 ms, came after 999 ms"]]
  },
  {
    promise: "sameKey",
    check: Promised.sameKey,
    kept: Runs.keyed,
    broken: [
      [seen(Runs.keyed, 1, { key: "b" }), "there were the keys a, b"],
      [seen(Runs.keyed, 1, { key: undefined }), "there were the keys a, none"],
      [Runs.twoFailures, "there were the keys none"]
    ]
  },
  {
    promise: "keepsDeadline",
    check: (run) => Promised.keepsDeadline(run, 1000),
    kept: Runs.refused,
    broken: [[changed(Runs.refused, 1, { startedMillis: 1100 }), "one started after 1100 ms"]]
  },
  {
    promise: "stopsAtOnce",
    check: (run) => Promised.stopsAtOnce(run, delayMillis),
    kept: Runs.refused,
    broken: [
      [{ ...Runs.refused, elapsedMillis: 782 }, "it went on for 300 ms"],
      [Runs.twoFailures, "it went on for Infinity ms"]
    ]
  },
  {
    promise: "stopsForGood",
    check: (run) => Promised.stopsForGood(run, delayMillis, 1000),
    kept: Runs.refused,
    broken: [
      [told(Runs.refused, 1, { failedAfter: Duration.millis(399) }), "it would have started after 999 ms"],
      [Runs.twoFailures, "it would have started after 0 ms"]
    ]
  },
  {
    promise: "hangsCut",
    check: (run) => Promised.hangsCut(run, limits),
    kept: Runs.cut,
    broken: [
      [told(Runs.cut, 0, { failedAfter: Duration.millis(494) }), "attempt 1 was cut after 494 ms"],
      [changed(Runs.cut, 0, { told: undefined }), "attempt 1 was cut after NaN ms"],
      [seen(Runs.cut, 0, { endedMillis: Option.none() }), "the connection of attempt 1 was left open"]
    ]
  },
  {
    promise: "hangsUp",
    check: Promised.hangsUp,
    kept: Runs.cut,
    broken: [
      [seen(Runs.cut, 0, { endedMillis: Option.some(606) }), "that of attempt 1 was still open"],
      [seen(Runs.cut, 0, { endedMillis: Option.none() }), "that of attempt 1 was still open"]
    ]
  },
  {
    promise: "terminalIsLast",
    check: Promised.terminalIsLast,
    kept: Runs.final,
    broken: [[told(Runs.twoFailures, 1, { verdict: Verdict.terminal("no") }), "attempt 2 was not the last"]]
  },
  {
    promise: "reasonHolds",
    check: Promised.reasonHolds,
    kept: { ...Runs.refused, ending: spent },
    broken: [
      [
        { ...Runs.refused, ending: Runs.stopped({ _tag: "AttemptsSpent", maxAttempts: 3 }) },
        "stopped: all 3 attempts spent, after 2 attempts"
      ],
      [
        { ...Runs.refused, ending: Runs.stopped({ _tag: "Terminal", why: "no" }) },
        "stopped: not retryable, no, after 2 attempts"
      ],
      [{ ...Runs.final, ending: Runs.refused.ending }, "stopped: the deadline of 1 s would pass, after 1 attempt"],
      [{ ...Runs.refused, ending: { _tag: "Failed", error: "Throttled" } }, "failed: Throttled, after 2 attempts"]
    ]
  }
]

describe.each(cases)("Promised.$promise", ({ broken, check, kept }) => {
  it("is kept", () => {
    expect(check(kept).broken).toBe(undefined)
  })

  it.each(broken)("is broken, and says by what", (run, seen) => {
    expect(check(run).broken).toBe(seen)
  })
})

describe("Promised.each", () => {
  it("is broken by one of many, and names it", () => {
    const runs = [Runs.twoFailures, Runs.final, Runs.hinted]
    expect(Promised.each("all succeed", runs, Promised.succeeds)).toEqual({
      text: "all succeed",
      broken: "operation 2: stopped: not retryable, 404 is final"
    })
    expect(Promised.each("all succeed", [Runs.twoFailures, Runs.hinted], Promised.succeeds).broken).toBe(undefined)
  })
})

describe("Promised limits", () => {
  it("give an attempt no more than is left until the deadline", () => {
    const late = Runs.run(
      Runs.refused.ending,
      1000,
      Runs.attempt({
        number: 1,
        startedMillis: 0,
        answer: Runs.unavailable,
        verdict: Verdict.server,
        delayMillis: 898
      }),
      Runs.attempt({ number: 2, startedMillis: 900, tookMillis: 100, answer: Script.hang, verdict: Verdict.timeout })
    )
    expect(Promised.hangsCut(late, limits).broken).toBe(undefined)
    expect(Promised.hangsCut(late, { ...limits, deadlineMillis: 2000 }).broken).toBe("attempt 2 was cut after 100 ms")
  })
})

describe("Promised.tooEarly", () => {
  it("does not blame an attempt for a hint that was cut off before it was read", () => {
    const early = seen(Runs.hinted, 1, { atMillis: 600 })
    expect(Promised.tooEarly(early)).toEqual([{ askedMillis: 1000, cameMillis: 600 }])
    expect(Promised.tooEarly(told(early, 0, { verdict: Verdict.timeout }))).toEqual([])
  })

  it("counts a plain retry, which tells of no failure", () => {
    const plain = changed(seen(Runs.hinted, 1, { atMillis: 600 }), 0, { told: undefined })
    expect(Promised.tooEarly(plain)).toEqual([{ askedMillis: 1000, cameMillis: 600 }])
  })
})
