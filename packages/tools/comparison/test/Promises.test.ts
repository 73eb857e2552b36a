import { readFileSync } from "node:fs"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import * as AttemptTimeout from "../src/promises/attempt-timeout.ts"
import * as Count from "../src/promises/count.ts"
import * as Deadline from "../src/promises/deadline.ts"
import * as Delays from "../src/promises/delays.ts"
import { Busy, type Load, NotFound, type Ways } from "../src/promises/errors.ts"
import * as Fetching from "../src/promises/fetch.ts"
import * as Free from "../src/promises/free.ts"
import * as Hint from "../src/promises/hint.ts"
import * as Jitter from "../src/promises/jitter.ts"
import * as Listen from "../src/promises/listen.ts"
import * as Predicate from "../src/promises/predicate.ts"
import * as Results from "../src/promises/results.ts"
import * as Signal from "../src/promises/signal.ts"
import * as Wrap from "../src/promises/wrap.ts"

const page = readFileSync(new URL("../../../../docs/from-promises.md", import.meta.url), "utf8")

/** The rows of the table below a heading. */
const rowsOf = (heading: string): ReadonlyArray<ReadonlyArray<string>> => {
  const [, after = ""] = page.split(`\n## ${heading}\n`)
  const [section = ""] = after.split("\n## ")
  const lines = section.split("\n").filter((line) => line.startsWith("| "))
  return lines.slice(2).map((line) => line.slice(2, -2).split(" | "))
}

type Outcome = string | Error

/** When the calls were made, in milliseconds, and how the operation ended; the last outcome is that of all further calls. */
const observed = async (way: (load: Load) => Promise<unknown>, ...outcomes: ReadonlyArray<Outcome>) => {
  const started = Date.now()
  const calls: Array<number> = []
  const load = async () => {
    calls.push(Date.now() - started)
    const outcome = outcomes[Math.min(calls.length, outcomes.length) - 1] ?? ""
    if (outcome instanceof Error) throw outcome
    return outcome
  }
  const ended = way(load).catch((error: Error) => error.message)
  await vi.runAllTimersAsync()
  return { calls, outcome: String(await ended) }
}

const calls =
  (...outcomes: ReadonlyArray<Outcome>) =>
  async (way: Ways[string]): Promise<string> =>
    (await observed(way, ...outcomes)).calls.join(", ")

const howMany =
  (...outcomes: ReadonlyArray<Outcome>) =>
  async (way: Ways[string]): Promise<string> =>
    String((await observed(way, ...outcomes)).calls.length)

const outcome =
  (...outcomes: ReadonlyArray<Outcome>) =>
  async (way: Ways[string]): Promise<string> =>
    (await observed(way, ...outcomes)).outcome

/** One row for each way, with a cell for each column. */
const rows = async <Way>(
  ways: Readonly<Record<string, Way>>,
  ...columns: ReadonlyArray<(way: Way) => Promise<string>>
): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
  const made: Array<ReadonlyArray<string>> = []
  for (const [name, way] of Object.entries(ways)) {
    const cells = [name]
    for (const column of columns) cells.push(await column(way))
    made.push(cells)
  }
  return made
}

const failed = new Error("failed")

const between = async (way: Ways[string]): Promise<string> => {
  const delays: Array<number> = []
  for (let i = 0; i < 500; i++) delays.push((await observed(way, failed)).calls[1] ?? NaN)
  return [Math.min(...delays), Math.max(...delays)].map((millis) => Math.round(millis / 10) * 10).join(" to ")
}

/** Attempts that never end, and what became of their signals. */
const endless =
  (count: (signals: ReadonlyArray<AbortSignal>, calls: ReadonlyArray<number>) => string) =>
  async (way: (typeof AttemptTimeout.ways)[string]): Promise<string> => {
    const signals: Array<AbortSignal> = []
    const { calls } = await observed((load) =>
      way((attempt) => {
        if (attempt?.signal !== undefined) signals.push(attempt.signal)
        void load()
        return new Promise(() => undefined)
      })
    )
    return count(signals, calls)
  }

const aborted =
  (result: "calls" | "outcome") =>
  async (way: (typeof Signal.ways)[string]): Promise<string> => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(new Error("aborted")), 50)
    const seen = await observed((load) => way(load, controller.signal), failed)
    return result === "calls" ? seen.calls.join(", ") : seen.outcome
  }

const heard = async (way: (typeof Listen.ways)[string]): Promise<string> => {
  const lines: Array<string> = []
  await observed((load) => way(load, (line) => lines.push(line)), failed)
  return lines.join("; ")
}

const inFlight = async (way: Ways[string]): Promise<string> => {
  let running = 0
  let most = 0
  const load = async () => {
    most = Math.max(most, ++running)
    await new Promise((resolve) => setTimeout(resolve, 100))
    running--
    return "loaded"
  }
  const all = Promise.all(Array.from({ length: 30 }, () => way(load)))
  await vi.runAllTimersAsync()
  await all
  return String(most)
}

/** When requests were made, in milliseconds, of a server that answers in this way. */
const requests = async (
  way: (typeof Fetching.ways)[string],
  { headers = {}, method = "GET", status }: { status: number; headers?: Record<string, string>; method?: string }
): Promise<ReadonlyArray<number>> => {
  const started = Date.now()
  const sent: Array<number> = []
  vi.stubGlobal("fetch", async () => {
    sent.push(Date.now() - started)
    return new Response(null, { status, headers })
  })
  const ended = way("http://localhost/", { method }).catch(() => undefined)
  await vi.runAllTimersAsync()
  await ended
  return sent
}

const sent =
  (server: Parameters<typeof requests>[1]) =>
  async (way: (typeof Fetching.ways)[string]): Promise<string> =>
    String((await requests(way, server)).length)

/** The hint rule of ours adds up to a tenth. */
const wholeSeconds =
  (server: Parameters<typeof requests>[1]) =>
  async (way: (typeof Fetching.ways)[string]): Promise<string> => {
    const [, second = NaN] = await requests(way, server)
    return `${second < 1000 ? second / 1000 : Math.floor(second / 1000)} s`
  }

beforeEach(() => {
  // Effect keeps the `process.hrtime` that was there when it was loaded, and fake timers replace it.
  vi.spyOn(process.hrtime, "bigint").mockImplementation(() => BigInt(Date.now()) * 1_000_000n)
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

const sections: Readonly<Record<string, () => Promise<ReadonlyArray<ReadonlyArray<string>>>>> = {
  "How many attempts": () =>
    rows(Count.ways, calls(failed), outcome(new Error("busy"), new Error("busy"), new Error("no route"))),
  "Delays that grow": () => rows(Delays.ways, calls(failed)),
  Jitter: () => rows(Jitter.ways, between),
  "Which errors to retry": () =>
    rows(
      Predicate.ways,
      howMany(new Busy()),
      howMany(new NotFound()),
      howMany(new Error("another")),
      howMany(new TypeError("a bug"))
    ),
  "A caller that aborts": () => rows(Signal.ways, aborted("calls"), aborted("outcome")),
  "A timeout for each attempt": () =>
    rows(
      AttemptTimeout.ways,
      endless((_, calls) => calls.join(", ")),
      endless((signals) => String(signals.filter((signal) => signal.aborted).length))
    ),
  "A deadline for the whole operation": () => rows(Deadline.ways, calls(failed)),
  "Logging retries": () => rows(Listen.ways, heard),
  "Retries that do not count": () =>
    rows(Free.ways, calls(new Busy(), new Busy(), new Busy(), failed, new Busy(), failed, failed)),
  "Results that mean try again": () =>
    rows(Results.ways, calls("pending", "done"), calls("pending"), outcome("pending")),
  "A delay from the error": () =>
    rows(Hint.ways, calls(new Busy(5000), new Busy(), "done"), calls(new Busy(3_600_000), "done")),
  "Several policies": () => rows(Wrap.ways, calls(failed), outcome(failed), inFlight),
  "`fetch` in a retry": () =>
    rows(
      Fetching.ways,
      sent({ status: 503 }),
      sent({ status: 404 }),
      sent({ status: 503, method: "POST" }),
      wholeSeconds({ status: 503, headers: { "retry-after": "5" } })
    )
}

describe("docs/from-promises.md", () => {
  it.each(Object.entries(sections))("says what calls are made under %s", async (heading, made) => {
    const expected = await made()
    expect(rowsOf(heading)).toEqual(expected)
  })

  it("has a pair for each of these", () => {
    const headings = Array.from(page.matchAll(/^## (.+)$/gm), ([, heading = ""]) => heading)
    expect(headings.filter((heading) => rowsOf(heading).length > 0 && heading !== "What has no counterpart")).toEqual(
      Object.keys(sections)
    )
  })
})
