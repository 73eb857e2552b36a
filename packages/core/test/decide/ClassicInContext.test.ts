/**
 * The classic back-offs where they come from: beside their older forms, on a cable, and at a socket.
 */
import { Backoff, Classic, Classifier, Curve, Retry, Verdict } from "@effect-retry/core"
import * as BackoffTree from "@effect-retry/core/unstable/BackoffTree"
import { Timeline, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Data, Duration, Effect } from "effect"
import { PCGRandom } from "effect/Utils"
import { createServer, connect, type Server, type Socket } from "node:net"
import { s } from "../support/Golden.ts"
import { delayAt, failing, input, retryTrace } from "../support/Traces.ts"

const sum = (numbers: ReadonlyArray<number>) => numbers.reduce((all, number) => all + number, 0)

const mean = (numbers: ReadonlyArray<number>) => sum(numbers) / numbers.length

describe("Classic.celery beside its first form", () => {
  // https://github.com/celery/celery, celery/utils/time.py: the first form drew before its maximum, today's draws after it.
  const first = (factor: number, maximumSeconds: number) =>
    Backoff.fromCurve(
      Curve.fromDraw({
        name: "celery, first form",
        delayMillis: (n, capMillis, u) =>
          Math.min(Math.floor(u * (factor * 2 ** (n - 1) + 1)), maximumSeconds, capMillis / 1_000) * 1_000,
        intervalMillis: (n, capMillis) => [
          0,
          Math.min(factor * 2 ** (n - 1), maximumSeconds, capMillis / 1_000) * 1_000
        ]
      })
    )
  const forms = { first: first(1, 600), today: Classic.celery({ factor: 1 }) }

  /** The delays before retry `n`, each with the same probability. */
  const drawn = (backoff: Backoff.Backoff, n: number, cells: number) =>
    Array.from({ length: cells }, (_, cell) => delayAt(backoff, n, (cell + 0.5) / cells) ?? NaN)

  it("waits the same below the maximum", () => {
    for (let n = 1; n <= 10; n++) {
      for (const u of [0, 0.25, 0.5, 0.75, 0.999]) expect(delayAt(forms.today, n, u)).toBe(delayAt(forms.first, n, u))
    }
  })

  it("no longer gathers late retries on the maximum", () => {
    // After 12 retries: 4097 numbers of seconds to draw from, of which 3497 are the maximum or above it.
    const before = drawn(forms.first, 13, 4_097)
    expect(before.filter((delay) => delay === 600_000).length / 4_097).toBeCloseTo(0.853_551, 6)
    expect(mean(before) / 1_000).toBeCloseTo(555.992, 3)
    const today = drawn(forms.today, 13, 601)
    expect(today.filter((delay) => delay === 600_000)).toHaveLength(1)
    expect(mean(today)).toBe(300_000)
  })
})

describe("Classic.connectRetry beside the form of an article", () => {
  const book = Classic.connectRetry()

  /** As the article writes it: `numsec < 128` as the condition of the loop, and a sleep after every failure. */
  const article = () => {
    const sleeps: Array<number> = []
    let attempts = 0
    for (let numsec = 1; numsec < 128; numsec *= 2) {
      attempts += 1
      sleeps.push(numsec * 1_000)
    }
    return { attempts, sleeps }
  }

  it.effect("makes one more attempt in the same time, and waits for nothing", () =>
    Effect.gen(function* () {
      const { attempts, sleeps } = article()
      expect([attempts, sum(sleeps)]).toEqual([7, 127_000])
      const waits = yield* retryTrace(book, failing(8))
      expect(waits).toEqual([...sleeps, "ended"])
      // Each wait is followed by an attempt: eight of them, while the article's last sleep is followed by none.
      expect(waits.filter((wait) => wait !== "ended")).toHaveLength(attempts)
    })
  )

  it.effect("fails without the article's last sleep when it makes as many attempts", () =>
    Effect.gen(function* () {
      const attempt = Timeline.attempt(Effect.fail("refused"))
      const policy = { classifier: Classifier.always, maxAttempts: article().attempts, backoff: book }
      const timeline = yield* Timeline.record(Effect.exit(Retry.retry(attempt, policy)))
      expect(Timeline.waitsMillis(timeline)).toEqual(s(1, 2, 4, 8, 16, 32))
      expect(Duration.toSeconds(timeline.elapsed)).toBe(127 - 64)
    }).pipe(VirtualClock.run)
  )
})

/** One for all stations: a back-off is a value, of which each of them takes steps of its own. */
const ethernet = Classic.ethernet({ slot: 1 })

/** A station's number of slots after each of its collisions; "ended" after the last. */
const station = (random: PCGRandom) => {
  let { tree } = ethernet
  return (): number | "ended" => {
    const stepped = BackoffTree.step(tree, input({ u: random.number() }))
    if (stepped === undefined) return "ended"
    tree = stepped.rest
    return stepped.delayMillis
  }
}

describe("Classic.ethernet over draws", () => {
  it("waits half of 2^c - 1 slots on average after collision c, and of 2^10 - 1 from the tenth on", () => {
    const operations = 1_500
    const random = new PCGRandom(1)
    const sums = Array.from({ length: 15 }, () => 0)
    for (let operation = 0; operation < operations; operation++) {
      const slots = station(random)
      for (let i = 0; i < sums.length; i++) sums[i] = (sums[i] ?? 0) + Number(slots())
    }
    for (const [i, all] of sums.entries()) {
      const most = 2 ** Math.min(i + 1, 10) - 1
      // Four standard errors of a whole number that is equally likely from 0 to `most`.
      const error = 4 * Math.sqrt(((most + 1) ** 2 - 1) / 12 / operations)
      expect(Math.abs(all / operations - most / 2)).toBeLessThan(error)
    }
    expect(Math.abs(sum(sums) / operations / 3_575.5 - 1)).toBeLessThan(0.03)
  })
})

interface Contention {
  readonly transmissions: number
  readonly collisions: number
  readonly slots: number
  readonly dropped: number
}

/** `stations` that are ready in slot 0, frames of one slot; a station that collides waits for the next slot and its back-off. */
const contend = (stations: number, random: PCGRandom): Contention => {
  const ready = new Map([[0, Array.from({ length: stations }, () => station(random))]])
  let [slot, transmissions, collisions, dropped, busy] = [0, 0, 0, 0, 0]
  for (; ready.size > 0; slot++) {
    const sending = ready.get(slot)
    if (sending === undefined) continue
    ready.delete(slot)
    busy = slot + 1
    transmissions += sending.length
    if (sending.length === 1) continue
    collisions += 1
    for (const backOff of sending) {
      const slots = backOff()
      if (slots === "ended") {
        dropped += 1
        continue
      }
      const others = ready.get(slot + 1 + slots)
      if (others === undefined) ready.set(slot + 1 + slots, [backOff])
      else others.push(backOff)
    }
  }
  return { transmissions, collisions, slots: busy, dropped }
}

describe("Classic.ethernet on a cable", () => {
  // Means of an independent simulation in Python, its random seed 7, of 2000 trials, and of 300 from 200 stations on; their
  // standard error is about 1 %.
  it.each([
    { stations: 2, trials: 3_000, transmissions: 5.274, collisions: 1.637, slots: 5.168, drops: 0 },
    { stations: 3, trials: 3_000, transmissions: 9.566, collisions: 2.633, slots: 9.315, drops: 0 },
    { stations: 5, trials: 1_500, transmissions: 20.038, collisions: 4.794, slots: 19.419, drops: 0 },
    { stations: 10, trials: 1_000, transmissions: 51.267, collisions: 10.214, slots: 52.089, drops: 0 },
    { stations: 20, trials: 500, transmissions: 123.973, collisions: 20.639, slots: 130.49, drops: 0 },
    { stations: 50, trials: 400, transmissions: 378.454, collisions: 51.2, slots: 429.963, drops: 0 },
    { stations: 100, trials: 300, transmissions: 858.654, collisions: 101.487, slots: 973.156, drops: 0 },
    { stations: 200, trials: 150, transmissions: 1_921.343, collisions: 202.443, slots: 1_687.74, drops: 0 },
    { stations: 500, trials: 30, transmissions: 5_513.427, collisions: 523.277, slots: 2_851.877, drops: 0.03 },
    { stations: 1_000, trials: 10, transmissions: 12_897.517, collisions: 1_367.083, slots: 4_398.173, drops: 29.25 }
  ])("lets $stations stations send", ({ collisions, drops, slots, stations, transmissions, trials }) => {
    const random = new PCGRandom(7)
    const ran = Array.from({ length: trials }, () => contend(stations, random))
    const means = {
      transmissions: mean(ran.map((one) => one.transmissions)),
      collisions: mean(ran.map((one) => one.collisions)),
      slots: mean(ran.map((one) => one.slots))
    }
    expect(Math.abs(means.transmissions / transmissions - 1)).toBeLessThan(0.03)
    expect(Math.abs(means.collisions / collisions - 1)).toBeLessThan(0.03)
    expect(Math.abs(means.slots / slots - 1)).toBeLessThan(0.03)
    // Four standard errors: stations are dropped in twos and more, so that the variance is about twice the mean.
    const expected = drops * trials
    const dropped = sum(ran.map((one) => one.dropped))
    expect(Math.abs(dropped - expected)).toBeLessThanOrEqual(4 * Math.sqrt(2 * expected))
  })

  it("lets two stations that have collided collide 1.64 times in all", () => {
    // One and then with probability 2^-min(c, 10) after collision c, up to the sixteenth.
    const again = Array.from({ length: 15 }, (_, i) => 2 ** -Math.min(i + 1, 10))
    const expected = 1 + sum(again.map((_, i) => again.slice(0, i + 1).reduce((all, one) => all * one, 1)))
    expect(expected).toBeCloseTo(1.641_632_560_655, 12)
    const random = new PCGRandom(3)
    const ran = Array.from({ length: 3_000 }, () => contend(2, random).collisions)
    expect(Math.abs(mean(ran) / expected - 1)).toBeLessThan(0.03)
  })
})

// https://www.rfc-editor.org/rfc/rfc6298, section 5.5: the timeout doubles with every expiry. The numbers are those of Linux,
// https://docs.kernel.org/networking/ip-sysctl.html, tcp_retries2 and tcp_syn_retries: 924.6 and 127 seconds in all.
describe("Backoff.exponential beside the timer of TCP", () => {
  it.each([
    {
      name: "retransmissions of data",
      base: "200 millis",
      expiries: [0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 120, 120, 120, 120, 120, 120],
      total: 924.6
    },
    { name: "retransmissions of a first segment", base: "1 second", expiries: [1, 2, 4, 8, 16, 32, 64], total: 127 }
  ] as const)("has the timeouts of $name", ({ base, expiries, total }) => {
    const backoff = Backoff.capped(Backoff.exponential({ base }), "120 seconds")
    const timeouts = expiries.map((_, i) => delayAt(backoff, i + 1, 0) ?? NaN)
    expect(timeouts).toEqual(s(...expiries))
    expect(sum(timeouts)).toBe(total * 1_000)
  })
})

class Refused extends Data.TaggedError("Refused")<{ readonly message: string }> {}

const opened = (port: number): Effect.Effect<Socket, Refused> =>
  Effect.async((resume) => {
    // A new socket for every attempt: one that has failed is of no use on every system.
    const socket = connect({ host: "127.0.0.1", port })
    socket.once("connect", () => resume(Effect.succeed(socket)))
    socket.once("error", (error) => resume(Effect.fail(new Refused({ message: error.message }))))
    return Effect.sync(() => socket.destroy())
  })

const listen = (server: Server, port: number): Effect.Effect<number> =>
  Effect.async((resume) => {
    server.listen({ host: "127.0.0.1", port }, () => {
      const address = server.address()
      resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : NaN))
    })
  })

const close = (server: Server): Effect.Effect<void> =>
  Effect.async((resume) => {
    server.close(() => resume(Effect.void))
  })

describe("Classic.connectRetry at a socket", () => {
  it.effect("opens a connection to a port that starts to listen later", () =>
    Effect.gen(function* () {
      const free = createServer()
      const port = yield* listen(free, 0)
      yield* close(free)
      const server = createServer((socket) => socket.end("welcome"))
      yield* Effect.addFinalizer(() => close(server))
      let refusals = 0
      const attempt = Effect.tapError(opened(port), () =>
        Effect.suspend(() => (++refusals === 3 ? listen(server, port) : Effect.void))
      )
      const timeline = yield* Timeline.record(
        Retry.retry(Timeline.attempt(attempt), {
          classifier: Classifier.fromTags({ Refused: Verdict.transient }),
          maxAttempts: Infinity,
          backoff: Classic.connectRetry()
        })
      )
      expect(timeline.exit._tag).toBe("Success")
      // Virtual time, around real sockets.
      expect(Timeline.startsMillis(timeline)).toEqual(s(0, 1, 3, 7))
      if (timeline.exit._tag !== "Success") return
      const socket = timeline.exit.value
      const said = yield* Effect.async<string>((resume) => {
        socket.once("data", (bytes) => resume(Effect.succeed(bytes.toString())))
      })
      socket.destroy()
      expect([said, refusals]).toEqual(["welcome", 3])
    }).pipe(Effect.scoped, VirtualClock.run)
  )
})
