import { AttemptTimeout, Backoff, Curve, Deadline, Hint, Jitter, Policy, TokenBucket } from "@effect-retry/core"
import { Plan } from "@effect-retry/plan"
import { describe, expect, it } from "@effect/vitest"

const text = (policy: Plan.Explainable, options?: Plan.Options) =>
  Plan.toText(Plan.explain(policy, options)).split("\n")

describe("Plan.toText", () => {
  it("rounds a mean so that it stays between the delays", () => {
    const plan = Plan.explain({ maxAttempts: 2, backoff: Backoff.constant({ delay: "1999 millis" }) })
    expect(Plan.toText(plan).match(/1\.999s|2s/g)).not.toContain("2s")
  })

  it("shows the example of the module", () => {
    const plan = Plan.explain({
      attemptTimeout: AttemptTimeout.constant("2 seconds"),
      maxAttempts: 4,
      backoff: Backoff.exponential({ base: "100 millis" }).pipe(
        Backoff.capped("300 millis"),
        Backoff.jittered(Jitter.full)
      ),
      hint: Hint.ignore,
      deadline: Deadline.refuse("6 seconds")
    })
    expect(Plan.toText(plan).split("\n")).toEqual([
      "attempt  timeout  bound  least    mean   most  earliest  latest  waited",
      "      1       2s      -      -       -      -       0ms     0ms     0ms",
      "      2       2s  100ms    0ms  50.5ms  100ms       0ms    2.1s   100ms",
      "      3       2s  200ms    0ms   101ms  200ms       0ms    4.3s   300ms",
      "      4       2s  300ms    0ms   151ms  300ms       0ms  5.999s   600ms",
      "",
      "worst case  4 attempts, 600ms waiting, 6s in all, load factor 4",
      "warnings    attempts from 4 on are made only if earlier ones end sooner, or wait",
      "            less, than they may"
    ])
  })

  it("shows a preset", () => {
    expect(text(Policy.standard)).toEqual([
      "attempt  bound  least    mean   most  earliest  latest  waited",
      "      1      -      -       -      -       0ms     0ms     0ms",
      "      2  100ms    0ms  50.5ms  100ms       0ms   100ms   100ms",
      "      3  200ms    0ms   101ms  200ms       0ms   300ms   300ms",
      "",
      "worst case  no hints: 3 attempts, 300ms waiting, 300ms in all, load factor 3",
      "            with hints: 3 attempts, 2m0s waiting, 2m0s in all, load factor 3",
      "assuming    attempts have no timeout and are taken to end at once",
      "            no server asks for a wait of its own, except in the case with hints"
    ])
  })

  it("shows one attempt", () => {
    expect(text(Policy.once)).toEqual([
      "attempt  earliest  latest  waited",
      "      1       0ms     0ms     0ms",
      "",
      "worst case  1 attempt, 0ms waiting, 0ms in all, load factor 1",
      "assuming    attempts have no timeout and are taken to end at once",
      "            no server asks for a wait of its own, except in the case with hints"
    ])
  })

  it("shows a policy that never ends", () => {
    const backoff = Backoff.byKind({
      Throttling: Backoff.exponential({ base: "1 minute", factor: 10 }),
      orElse: Backoff.fromCurve(Curve.fibonacci({ base: "400 millis" })).pipe(Backoff.jittered(Jitter.equal))
    }).pipe(Backoff.resetAfter("1 hour"))
    expect(text({ maxAttempts: Infinity, backoff, bucket: TokenBucket.unlimited }, { rows: 7 })).toEqual([
      "attempt   bound  least    mean    most  earliest  latest  waited",
      "      1       -      -       -       -       0ms     0ms     0ms",
      "      2    1m0s  200ms    1m0s    1m0s     200ms    1m0s    1m0s",
      "      3   10m0s  200ms   10m0s   10m0s     400ms   11m0s   11m0s",
      "      4   1h40m  400ms   1h40m   1h40m     800ms   1h51m   1h51m",
      "      5  16h40m  600ms  16h40m  16h40m      1.4s  18h31m  18h31m",
      "      6   6d22h     1s   6d22h   6d22h      2.4s   7d17h   7d17h",
      "      7  69d10h   1.6s  69d10h  69d10h        4s   77d3h   77d3h",
      "... and so on",
      "",
      "worst case  no hints: ∞ attempts, ∞ waiting, ∞ in all, load factor ∞",
      "            with hints: ∞ attempts, ∞ waiting, ∞ in all, load factor ∞",
      "assuming    attempts have no timeout and are taken to end at once",
      "            no server asks for a wait of its own, except in the case with hints",
      "            the bucket grants every retry",
      "            failures are of any kind, in any order; the mean is that of the",
      "            slowest kind",
      "            no attempt runs long enough for the back-off to start over",
      "warnings    never ends: neither attempts, back-off nor deadline stop it"
    ])
  })

  it("shows every warning, and what is left out", () => {
    expect(
      text(
        {
          attemptTimeout: AttemptTimeout.growing({ initial: "7 seconds", factor: 2, maximum: "1 minute" }),
          maxAttempts: 9,
          backoff: Backoff.constant({ delay: "2 seconds" }).pipe(Backoff.capped("999.5 millis")),
          hint: Hint.floor({ atMost: "2 minutes", otherwise: "clamp" }),
          deadline: Deadline.truncate("6 seconds", { reserve: "1 second" })
        },
        { rows: 2 }
      )
    ).toEqual([
      "attempt  timeout  bound  least   mean   most  earliest  latest  waited",
      "      1       6s      -      -      -      -       0ms     0ms     0ms",
      "      2   5.001s  999ms  999ms  999ms  999ms     999ms      5s   999ms",
      "... and 5 more",
      "",
      "worst case  no hints: 7 attempts, 5s waiting, 6s in all, load factor 7",
      "            with hints: 7 attempts, 5s waiting, 6s in all, load factor 7",
      "assuming    no server asks for a wait of its own, except in the case with hints",
      "warnings    attempts from 8 on are never made: the deadline passes before",
      "            attempts from 2 on are made only if earlier ones end sooner, or wait",
      "            less, than they may",
      "            the attempt timeout of 7s is longer than the deadline of 6s",
      "            hints are followed up to 2m, which does not fit the deadline of 6s",
      "            the cap of 999ms 500000ns is below the base of 2s: nothing grows",
      "            hints are followed up to 2m, above the cap of 999ms 500000ns"
    ])
  })

  it("shows long times in two units, and only days when they are many", () => {
    const backoff = Backoff.fromDelays(["999 days", "1000 days", "1001 days"])
    expect(text({ maxAttempts: 4, backoff, hint: Hint.ignore }).slice(0, 5)).toEqual([
      "attempt   bound   least    mean    most  earliest  latest  waited",
      "      1       -       -       -       -       0ms     0ms     0ms",
      "      2  999d0h  999d0h  999d0h  999d0h    999d0h  999d0h  999d0h",
      "      3   1000d   1000d   1000d   1000d     1999d   1999d   1999d",
      "      4   1001d   1001d   1001d   1001d     3000d   3000d   3000d"
    ])
  })

  it("stays within eighty columns", () => {
    const backoff = Backoff.fromCurve(Curve.decorrelated({ base: "1111 millis" }))
    const attemptTimeout = AttemptTimeout.constant("11111 millis")
    const lines = text({ maxAttempts: 20, backoff, attemptTimeout })
    expect(lines.filter((line) => line.length > 80)).toEqual([])
    expect(lines.slice(0, 3)).toEqual([
      "attempt  timeout    bound   least    mean     most  earliest   latest   waited",
      "      1  11.111s        -       -       -        -       0ms      0ms      0ms",
      "      2  11.111s   3.333s  1.111s   2.22s   3.333s    1.111s  14.444s   3.333s"
    ])
  })
})
