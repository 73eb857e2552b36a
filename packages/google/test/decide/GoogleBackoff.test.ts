import { Backoff, InvalidArgument, Jitter } from "@effect-retry/core"
import { Laws } from "@effect-retry/testing"
import * as vitest from "@effect/vitest"
import * as GoogleBackoff from "../../src/decide/GoogleBackoff.ts"
import { cells, curveOf, delayAt, delaysOf, last, same, seconds } from "./Delays.ts"

const { describe, expect, it } = vitest

const page = "https://cloud.google.com/storage/docs/retry-strategy, Exponential backoff algorithm"
const retryRequest = "https://github.com/googleapis/retry-request 7.0.2, index.js"
const nodejsStorage = "https://github.com/googleapis/nodejs-storage 7.22.0, src/resumable-upload.ts"
const gaxios = "https://github.com/googleapis/gaxios 6.7.1, src/retry.ts"
const apiCore = "https://github.com/googleapis/python-api-core bfc6651, google/api_core/retry/retry_base.py"
const javaStorage = "https://github.com/googleapis/java-storage 679cddd, BackoffTest.java"
const cpp = "https://github.com/googleapis/google-cloud-cpp, google/cloud/internal/backoff_policy_test.cc"
const gsutil = "https://github.com/GoogleCloudPlatform/gsutil cdd4555, gslib/boto_resumable_upload.py"
const apitools = "https://github.com/google/apitools f86cb9d, apitools/base/py/util.py and util_test.py"

interface Row {
  readonly name: string
  readonly source: string
  readonly backoff: Backoff.Backoff
  /** The delays under the least draws. */
  readonly least: ReadonlyArray<number>
  /** The delays under the greatest draws. */
  readonly most: ReadonlyArray<number>
}

const small = GoogleBackoff.slidingWindow({ minimumDelay: 10, maximumDelay: 100 })

const rows: ReadonlyArray<Row> = [
  {
    name: "truncatedExponential adds up to a second, then waits exactly its maximum",
    source: page,
    backoff: GoogleBackoff.truncatedExponential(),
    least: seconds(1, 2, 4, 8, 16, 32, 64, 64),
    most: seconds(2, 3, 5, 9, 17, 33, 64, 64)
  },
  {
    name: "truncatedExponential takes the lower maximum of the page",
    source: page,
    backoff: GoogleBackoff.truncatedExponential({ maximumBackoff: "32 seconds" }),
    least: seconds(1, 2, 4, 8, 16, 32, 32, 32),
    most: seconds(2, 3, 5, 9, 17, 32, 32, 32)
  },
  {
    name: "truncatedExponential takes other settings of gcloud",
    source: "Google Cloud SDK 578.0.0, lib/googlecloudsdk/core/util/retry.py",
    backoff: GoogleBackoff.truncatedExponential({
      base: "2 seconds",
      multiplier: 3,
      random: 500,
      maximumBackoff: "20 seconds"
    }),
    least: seconds(2, 6, 18, 20, 20, 20),
    most: seconds(2.5, 6.5, 18.5, 20, 20, 20)
  },
  {
    name: "retryRequest begins with its multiplier",
    source: retryRequest,
    backoff: GoogleBackoff.retryRequest(),
    least: seconds(2, 4, 8, 16, 32, 64, 64),
    most: seconds(2.999, 4.999, 8.999, 16.999, 32.999, 64, 64)
  },
  {
    name: "nodeResumable begins with one second",
    source: nodejsStorage,
    backoff: GoogleBackoff.nodeResumable(),
    least: seconds(1, 2, 4, 8, 16, 32, 64, 64),
    most: seconds(2, 3, 5, 9, 17, 33, 64, 64)
  },
  {
    name: "nodeResumable takes another multiplier and maximum",
    source: nodejsStorage,
    backoff: GoogleBackoff.nodeResumable({ retryDelayMultiplier: 3, maxRetryDelay: "5 seconds" }),
    least: seconds(1, 3, 5, 5, 5, 5),
    most: seconds(2, 4, 5, 5, 5, 5)
  },
  {
    name: "gaxios draws nothing",
    source: gaxios,
    backoff: GoogleBackoff.gaxios(),
    least: seconds(0.1, 0.5, 1.5, 3.5, 7.5, 15.5),
    most: seconds(0.1, 0.5, 1.5, 3.5, 7.5, 15.5)
  },
  {
    name: "gaxios uses its retryDelay for the first retry only",
    source: gaxios,
    backoff: GoogleBackoff.gaxios({ retryDelay: "1 second", retryDelayMultiplier: 3 }),
    least: seconds(1, 1, 4, 13, 40, 121),
    most: seconds(1, 1, 4, 13, 40, 121)
  },
  {
    name: "python doubles up to a minute",
    source: apiCore,
    backoff: GoogleBackoff.python(),
    least: same(0, 8),
    most: seconds(1, 2, 4, 8, 16, 32, 60, 60)
  },
  {
    name: "python polls",
    source: "https://github.com/googleapis/python-api-core bfc6651, google/api_core/future/polling.py",
    backoff: GoogleBackoff.python({ multiplier: 1.5, maximum: "20 seconds" }),
    least: same(0, 9),
    most: seconds(1, 1.5, 2.25, 3.375, 5.063, 7.594, 11.391, 17.086, 20)
  },
  {
    name: "python never waits longer than its maximum, not even at first",
    source: apiCore,
    backoff: GoogleBackoff.python({ initial: "5 seconds", maximum: "3 seconds" }),
    least: same(0, 6),
    most: seconds(3, 3, 3, 3, 3, 3)
  },
  {
    name: "python shrinks from its maximum with a multiplier below one",
    source: apiCore,
    backoff: GoogleBackoff.python({ initial: "8 seconds", maximum: "4 seconds", multiplier: 0.5 }),
    least: same(0, 6),
    most: seconds(4, 2, 1, 0.5, 0.25, 0.125)
  },
  {
    name: "python counts a zero as a value",
    source: apiCore,
    backoff: GoogleBackoff.python({ multiplier: 0 }),
    least: same(0, 6),
    most: seconds(1, 0, 0, 0, 0, 0)
  },
  {
    name: "javaStorage compounds its jitter",
    source: "https://github.com/googleapis/java-storage 679cddd, Backoff.java",
    backoff: GoogleBackoff.javaStorage(),
    least: seconds(1, 2, 4, 8, 16, 32, 32),
    most: seconds(2, 8, 32, 32, 32, 32, 32)
  },
  ...(
    [
      ["57 seconds", [2, 4, 8, 16, 32, 57, 57]],
      ["11 seconds", [2, 4, 8, 11, 11, 11, 11]],
      ["6 seconds", [2, 4, 6, 6, 6, 6, 6]]
    ] as const
  ).map(([maxRetryDelay, delays]) => ({
    name: `javaStorage doubles from 2 seconds up to ${maxRetryDelay} without jitter`,
    source: javaStorage,
    backoff: GoogleBackoff.javaStorage({ initialRetryDelay: "2 seconds", maxRetryDelay, jittered: false }),
    least: seconds(...delays),
    most: seconds(...delays)
  })),
  {
    name: "slidingWindow slides until its end meets the maximum",
    source: cpp,
    backoff: small,
    least: [10, 20, 40, 50, 50, 50],
    most: [19, 39, 79, 99, 99, 99]
  },
  {
    name: "slidingWindow never begins below its minimum",
    source: cpp,
    backoff: GoogleBackoff.slidingWindow({ minimumDelay: 10, maximumDelay: 28, scalingUpperBound: 3 }),
    least: same(10, 6),
    most: same(27, 6)
  },
  {
    name: "slidingWindow goes on below half of the maximum where its factor is greater",
    source: cpp,
    backoff: GoogleBackoff.slidingWindow({ minimumDelay: 10, maximumDelay: 100, scalingUpperBound: 4 }),
    least: [10, 25, 25, 25, 25, 25],
    most: [39, 99, 99, 99, 99, 99]
  },
  {
    name: "slidingWindow is full jitter from a minimum of zero",
    source: cpp,
    backoff: GoogleBackoff.slidingWindow({
      minimumDelay: 0,
      initialDelayUpperBound: 10,
      maximumDelay: 50,
      scalingLowerBound: 1
    }),
    least: same(0, 6),
    most: [9, 19, 39, 49, 49, 49]
  },
  {
    name: "slidingWindow has the window of Cloud Storage",
    source: "https://github.com/googleapis/google-cloud-cpp, google/cloud/storage/client_options.cc",
    backoff: GoogleBackoff.slidingWindow({ minimumDelay: "1 second", maximumDelay: "5 minutes" }),
    least: seconds(1, 2, 4, 8, 16, 32, 64, 128, 150, 150),
    most: seconds(1.999, 3.999, 7.999, 15.999, 31.999, 63.999, 127.999, 255.999, 299.999, 299.999)
  },
  {
    name: "gsutil draws from twice the power that its documentation names",
    source: gsutil,
    backoff: GoogleBackoff.gsutil(),
    least: same(0, 7),
    most: seconds(2, 4, 8, 16, 32, 32, 32)
  },
  {
    name: "apitools takes a quarter more or less, and at least a second",
    source: apitools,
    backoff: GoogleBackoff.apitools(),
    least: seconds(1.5, 3, 6, 12, 24, 48, 60, 60),
    most: seconds(2.5, 5, 10, 20, 40, 60, 60, 60)
  },
  {
    name: "apitools keeps to the maximum of its own test",
    source: apitools,
    backoff: GoogleBackoff.apitools({ maxRetryWait: "10 seconds" }),
    least: seconds(1.5, 3, 6, 10, 10, 10),
    most: seconds(2.5, 5, 10, 10, 10, 10)
  }
]

describe("GoogleBackoff", () => {
  it.each(rows)("$name ($source)", ({ backoff, least, most }) => {
    expect(delaysOf(backoff, same(0, least.length))).toEqual(least)
    expect(delaysOf(backoff, same(last, most.length))).toEqual(most)
  })

  it("slidingWindow ends each window where the next one begins", () => {
    const window = GoogleBackoff.slidingWindow({ minimumDelay: "1 second", maximumDelay: "5 minutes" })
    for (const n of [1, 2, 3, 4, 5, 6, 7]) {
      expect(delayAt(window, n + 1, 0)).toBe((delayAt(window, n, last) ?? NaN) + 1)
    }
  })

  it("javaStorage starts the next delay from the one that was drawn", () => {
    expect(delaysOf(GoogleBackoff.javaStorage(), [0.5, 0, 0.25, 0, 0.5])).toEqual(seconds(1.5, 3, 7.5, 15, 32))
  })

  it.each([
    { name: "truncatedExponential", backoff: GoogleBackoff.truncatedExponential(), n: 7, share: 1 },
    { name: "retryRequest", backoff: GoogleBackoff.retryRequest(), n: 6, share: 1 },
    { name: "gsutil", backoff: GoogleBackoff.gsutil(), n: 6, share: 0.5 },
    { name: "apitools", backoff: GoogleBackoff.apitools(), n: 6, share: 0.625 }
  ])("$name gathers on its maximum what it draws above it", ({ backoff, n, share }) => {
    const drawn = cells(1000).map((u) => delayAt(backoff, n, u))
    const most = delayAt(backoff, n, last)
    expect(drawn.filter((delay) => delay === most).length / drawn.length).toBeCloseTo(share, 2)
  })

  it("python gathers nothing on its maximum", () => {
    const drawn = cells(1000).map((u) => delayAt(GoogleBackoff.python(), 10, u))
    expect(drawn.filter((delay) => delay === 60_000)).toEqual([])
    expect(drawn.reduce((sum = 0, delay = NaN) => sum + delay, 0)).toBe(30_000_000)
  })
})

const drawing = {
  truncatedExponential: GoogleBackoff.truncatedExponential(),
  retryRequest: GoogleBackoff.retryRequest(),
  nodeResumable: GoogleBackoff.nodeResumable(),
  javaStorage: GoogleBackoff.javaStorage(),
  slidingWindow: small,
  gsutil: GoogleBackoff.gsutil(),
  apitools: GoogleBackoff.apitools()
}

describe("GoogleBackoff under a cap", () => {
  it.each(
    Object.entries({
      ...drawing,
      gaxios: GoogleBackoff.gaxios(),
      python: GoogleBackoff.python()
    })
  )("%s waits no longer than the cap, and sometimes that long", (_, backoff) => {
    const capped = Backoff.capped(backoff, 30)
    for (const u of [0, 0.5, last]) {
      for (const delay of delaysOf(capped, same(u, 12))) expect(delay).toBeLessThanOrEqual(30)
    }
    expect(delaysOf(capped, same(last, 12)).at(-1)).toBeGreaterThanOrEqual(29)
  })

  it("slidingWindow keeps a window below a cap that is less than its minimum", () => {
    const capped = Backoff.capped(small, 8)
    expect([delayAt(capped, 3, 0), delayAt(capped, 3, last)]).toEqual([4, 7])
  })

  it.each(Object.entries(drawing))("%s takes no jitter", (_, backoff) => {
    expect(() => Backoff.jittered(backoff, Jitter.full)).toThrow(InvalidArgument.InvalidArgument)
  })

  it("javaStorage without jitter takes another one", () => {
    const backoff = Backoff.jittered(GoogleBackoff.javaStorage({ jittered: false }), Jitter.equal)
    expect(delaysOf(backoff, same(0, 3))).toEqual(seconds(0.5, 1, 2))
  })
})

describe("GoogleBackoff bad arguments", () => {
  it.each([
    {
      make: () => GoogleBackoff.truncatedExponential({ base: -1 }),
      message: "GoogleBackoff.truncatedExponential: base must be a finite duration >= 0, got -1"
    },
    {
      make: () => GoogleBackoff.truncatedExponential({ multiplier: 0.5 }),
      message: "GoogleBackoff.truncatedExponential: multiplier must be >= 1, got 0.5"
    },
    {
      make: () => GoogleBackoff.truncatedExponential({ random: Infinity }),
      message: "GoogleBackoff.truncatedExponential: random must be a finite duration >= 0, got Infinity"
    },
    {
      make: () => GoogleBackoff.truncatedExponential({ maximumBackoff: 0 }),
      message: "GoogleBackoff.truncatedExponential: maximumBackoff must be a finite duration >= 1ms, got 0"
    },
    {
      make: () => GoogleBackoff.retryRequest({ retryDelayMultiplier: NaN }),
      message: "GoogleBackoff.retryRequest: retryDelayMultiplier must be >= 1, got NaN"
    },
    {
      make: () => GoogleBackoff.nodeResumable({ maxRetryDelay: 0 }),
      message: "GoogleBackoff.nodeResumable: maxRetryDelay must be a finite duration >= 1ms, got 0"
    },
    {
      make: () => GoogleBackoff.gaxios({ retryDelay: NaN }),
      message: "GoogleBackoff.gaxios: retryDelay must be a finite duration >= 0, got NaN"
    },
    {
      make: () => GoogleBackoff.gaxios({ retryDelayMultiplier: 0 }),
      message: "GoogleBackoff.gaxios: retryDelayMultiplier must be >= 1, got 0"
    },
    {
      make: () => GoogleBackoff.python({ initial: -1 }),
      message: "GoogleBackoff.python: initial must be a finite duration >= 0, got -1"
    },
    {
      make: () => GoogleBackoff.python({ maximum: Infinity }),
      message: "GoogleBackoff.python: maximum must be a finite duration >= 0, got Infinity"
    },
    {
      make: () => GoogleBackoff.python({ multiplier: -1 }),
      message: "GoogleBackoff.python: multiplier must be >= 0, got -1"
    },
    {
      make: () => GoogleBackoff.javaStorage({ initialRetryDelay: -1 }),
      message: "GoogleBackoff.javaStorage: initialRetryDelay must be a finite duration >= 0, got -1"
    },
    {
      make: () => GoogleBackoff.javaStorage({ retryDelayMultiplier: 0.9 }),
      message: "GoogleBackoff.javaStorage: retryDelayMultiplier must be >= 1, got 0.9"
    },
    {
      make: () => GoogleBackoff.javaStorage({ maxRetryDelay: 0 }),
      message: "GoogleBackoff.javaStorage: maxRetryDelay must be a finite duration >= 1ms, got 0"
    },
    {
      make: () => GoogleBackoff.slidingWindow({ minimumDelay: 10, maximumDelay: 100, scalingUpperBound: 1 }),
      message: "GoogleBackoff.slidingWindow: scalingUpperBound must be > 1, got 1"
    },
    {
      make: () => GoogleBackoff.slidingWindow({ minimumDelay: 10, maximumDelay: 100, scalingLowerBound: 3 }),
      message: "GoogleBackoff.slidingWindow: scalingLowerBound must be >= 1 and <= 2, got 3"
    },
    {
      make: () => GoogleBackoff.slidingWindow({ minimumDelay: -1, maximumDelay: 100 }),
      message: "GoogleBackoff.slidingWindow: minimumDelay must be a finite duration >= 0, got -1"
    },
    {
      make: () => GoogleBackoff.slidingWindow({ minimumDelay: 10, initialDelayUpperBound: 9, maximumDelay: 100 }),
      message: "GoogleBackoff.slidingWindow: initialDelayUpperBound must be a finite duration >= 10ms, got 9"
    },
    {
      make: () => GoogleBackoff.slidingWindow({ minimumDelay: 10, maximumDelay: 9 }),
      message: "GoogleBackoff.slidingWindow: maximumDelay must be a finite duration >= 10ms, got 9"
    },
    {
      make: () => GoogleBackoff.gsutil({ maxRetryDelay: 0 }),
      message: "GoogleBackoff.gsutil: maxRetryDelay must be a finite duration >= 1ms, got 0"
    },
    {
      make: () => GoogleBackoff.apitools({ maxRetryWait: -1 }),
      message: "GoogleBackoff.apitools: maxRetryWait must be a finite duration >= 1ms, got -1"
    }
  ])("are refused: $message", ({ make, message }) => {
    expect(make).toThrow(InvalidArgument.InvalidArgument)
    expect(make).toThrow(message)
  })
})

describe("GoogleBackoff without a record of options", () => {
  const { apitools, gaxios, gsutil, javaStorage, nodeResumable, python, retryRequest, slidingWindow } = GoogleBackoff
  const made = { apitools, gaxios, gsutil, javaStorage, nodeResumable, python, retryRequest, slidingWindow }
  const constructors = Object.entries({ ...made, truncatedExponential: GoogleBackoff.truncatedExponential })

  it.each(constructors)("%s refuses", (name, make: (options: never) => unknown) => {
    for (const wrong of [null, [], 5, "64 seconds", () => ({})]) {
      expect(() => make(wrong as never)).toThrow(InvalidArgument.InvalidArgument)
      expect(() => make(wrong as never)).toThrow(`GoogleBackoff.${name}: options must be a record of options, got`)
    }
  })

  it("slidingWindow refuses nothing at all", () => {
    expect(() => slidingWindow(undefined as never)).toThrow("GoogleBackoff.slidingWindow: options must be a record")
  })

  it.each(["x", 1, null])("javaStorage refuses a jitter of %o", (jittered) => {
    expect(() => javaStorage({ jittered: jittered as never })).toThrow(InvalidArgument.InvalidArgument)
    expect(() => javaStorage({ jittered: jittered as never })).toThrow(
      "GoogleBackoff.javaStorage: jittered must be a boolean, got"
    )
  })
})

for (const [name, backoff] of Object.entries({
  ...drawing,
  javaStorageWithoutJitter: GoogleBackoff.javaStorage({ jittered: false }),
  fullJitterWindow: GoogleBackoff.slidingWindow({
    minimumDelay: 0,
    initialDelayUpperBound: 10,
    maximumDelay: 50,
    scalingLowerBound: 1
  }),
  gaxios: GoogleBackoff.gaxios(),
  python: GoogleBackoff.python({ multiplier: 0.5 })
})) {
  Laws.curve(vitest, `GoogleBackoff.${name}`, curveOf(backoff), { numRuns: 40 })
}
