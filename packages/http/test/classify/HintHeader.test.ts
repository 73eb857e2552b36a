import { Headers } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as HintHeader from "../../src/classify/HintHeader.ts"

/** 2026-11-20T00:00:00Z */
const today = 1_795_132_800_000
const minute = 60_000
const endless = "9".repeat(400)
const hint = (from: Record<string, string>, clockMillis = today, hints = HintHeader.standard) =>
  HintHeader.read(hints, Headers.fromInput(from), clockMillis)

/** A row: the headers, and the wait that the reader finds in them. */
type Row = readonly [headers: Record<string, string>, wait: number | undefined]

const table = (name: string, reader: HintHeader.HintHeader, rows: ReadonlyArray<Row>) =>
  it.effect(name, () =>
    Effect.sync(() => {
      expect(rows.map(([from]) => [from, reader.read(Headers.fromInput(from), today)])).toEqual(rows)
    })
  )

const refused = (name: string, values: ReadonlyArray<string>): ReadonlyArray<Row> =>
  values.map((value) => [{ [name]: value }, undefined])

const tooLong = ["0".repeat(1_025), "0".repeat(10_000), " ".repeat(10_000)]
const never = [
  "",
  "-1",
  "+5",
  "5 7",
  "5, 7",
  "\u00a05",
  "1e99",
  "0x10",
  "Infinity",
  "NaN",
  "٥",
  "5\0",
  "\0",
  ...tooLong
]

describe("HintHeader.retryAfterMs", () => {
  table("reads milliseconds", HintHeader.retryAfterMs, [
    // Source: https://github.com/Azure/AppConfiguration, docs/REST/throttling.md, read 2026-11-20.
    [{ "retry-after-ms": "10" }, 10],
    [{ "retry-after-ms": "787" }, 787],
    [{ "Retry-After-Ms": "0" }, 0],
    [{ "retry-after-ms": "20.5" }, 20.5],
    [{ "retry-after-ms": "2592000000" }, 2_592_000_000],
    [{ "retry-after-ms": "  5" }, 5],
    [{ "retry-after-ms": "\t5 \t" }, 5],
    [{ "retry-after-ms": endless }, Infinity],
    [{ "retry-after-ms": "0".repeat(1_024) }, 0]
  ])
  table("refuses everything else", HintHeader.retryAfterMs, [
    [{}, undefined],
    [{ "retry-after": "10" }, undefined],
    ...refused("retry-after-ms", never)
  ])
})

describe("HintHeader.xMsRetryAfterMs", () => {
  table("reads milliseconds", HintHeader.xMsRetryAfterMs, [
    [{ "x-ms-retry-after-ms": "9" }, 9],
    [{ "x-ms-retry-after-ms": "1500" }, 1_500],
    [{ "x-ms-retry-after-ms": "3.25" }, 3.25],
    [{ "x-ms-retry-after-ms": endless }, Infinity]
  ])
  table("refuses everything else", HintHeader.xMsRetryAfterMs, [
    [{ "retry-after-ms": "10" }, undefined],
    ...refused("x-ms-retry-after-ms", never)
  ])
})

describe("HintHeader.xAmzRetryAfter", () => {
  table("reads whole milliseconds", HintHeader.xAmzRetryAfter, [
    [{ "x-amz-retry-after": "50" }, 50],
    [{ "x-amz-retry-after": "0" }, 0],
    [{ "x-amz-retry-after": endless }, Infinity]
  ])
  table("refuses everything else", HintHeader.xAmzRetryAfter, [
    [{ "retry-after": "1" }, undefined],
    ...refused("x-amz-retry-after", [...never, "1.5", "abc", "one second", "invalid"])
  ])
})

describe("HintHeader.retryAfter", () => {
  table("reads seconds and dates", HintHeader.retryAfter, [
    // Source: RFC 9110, section 10.2.3, read 2026-11-20.
    [{ "retry-after": "120" }, 120_000],
    [{ "retry-after": "Fri, 31 Dec 1999 23:59:59 GMT" }, 0],
    [{ "retry-after": "Fri, 20 Nov 2026 00:01:00 GMT" }, minute],
    [{ "retry-after": "Friday, 20-Nov-26 00:01:00 GMT" }, minute],
    [{ "retry-after": "Fri Nov 20 00:01:00 2026" }, minute],
    [{ "retry-after": "2592000" }, 2_592_000_000],
    [{ "retry-after": "120 " }, 120_000],
    [{ "retry-after": "2.0" }, 2_000],
    [{ "retry-after": "1.5, 7" }, 1_500],
    [{ "retry-after": `\t ${" ".repeat(500)}1.5 \t` }, 1_500],
    [{ "retry-after": endless }, Infinity],
    // What clients make of two lines, of which node:http keeps the first.
    [{ "retry-after": "120, 240" }, 120_000],
    [{ "retry-after": "120 ,Fri, 20 Nov 2026 00:01:00 GMT" }, 120_000],
    [{ "retry-after": "Fri, 20 Nov 2026 00:01:00 GMT, Fri, 20 Nov 2026 00:02:00 GMT" }, minute],
    [{ "retry-after": "Friday, 20-Nov-26 00:01:00 GMT, soon" }, minute]
  ])
  table("refuses everything else", HintHeader.retryAfter, [
    [{ "retry-after": "soon, 5" }, undefined],
    [{ "retry-after": ", 5" }, undefined],
    ...refused("retry-after", [
      ...never.filter((value) => value !== "5, 7"),
      "1.",
      ".5",
      "1.2.3",
      "1.2.3, 7",
      "2026-11-20T00:01:00Z",
      "Invalid Date GMT",
      "soon"
    ])
  ])
})

describe("HintHeader.rateLimit", () => {
  table("reads exhausted limits", HintHeader.rateLimit, [
    [{ ratelimit: '"default";r=0;t=30' }, 30_000],
    [{ RateLimit: '"burst";r=0', "RateLimit-Policy": '"burst";q=100;w=60,"daily";q=1000;w=86400' }, minute],
    [{ ratelimit: '"burst";r=0;t=5,"daily";r=0;t=3600' }, 3_600_000],
    [{ ratelimit: '"default";r=0;t=30', "ratelimit-policy": "nonsense" }, 30_000],
    [{ ratelimit: '"default";r=0;t=30', "ratelimit-policy": " ".repeat(2_000) }, 30_000]
  ])
  table("refuses everything else", HintHeader.rateLimit, [
    [{ ratelimit: '"default";r=50;t=30' }, undefined],
    [{ ratelimit: '"default";r=0' }, undefined],
    [{ "ratelimit-policy": '"default";q=100;w=60' }, undefined],
    [{ ratelimit: '"default";r=0', "ratelimit-policy": `"default";q=1;w=60${" ".repeat(2_000)}` }, undefined],
    [{ ratelimit: `"default";r=0;t=30${" ".repeat(2_000)}` }, undefined],
    ...refused("ratelimit", never)
  ])
})

describe("HintHeader.openAi", () => {
  table("reads the longest of the exhausted limits", HintHeader.openAi, [
    [{ "x-ratelimit-reset-requests": "20ms" }, 20],
    [{ "x-ratelimit-reset-tokens": "6m0s" }, 360_000],
    [{ "x-ratelimit-reset-project-tokens": "3s" }, 3_000],
    [{ "x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "6m0s" }, 360_000],
    [{ "x-ratelimit-reset-requests": "1s", "x-ratelimit-remaining-requests": "0" }, 1_000],
    [
      {
        "x-ratelimit-reset-requests": "1s",
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-tokens": "6m0s",
        "x-ratelimit-remaining-tokens": "149984"
      },
      1_000
    ],
    [{ "x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "nonsense" }, 1_000],
    [{ "x-ratelimit-reset-requests": `${endless}h` }, Infinity]
  ])
  table("refuses everything else", HintHeader.openAi, [
    // Source: https://platform.openai.com/docs/guides/rate-limits, read 2026-11-20: what every response has.
    [
      {
        "x-ratelimit-limit-requests": "60",
        "x-ratelimit-limit-tokens": "150000",
        "x-ratelimit-remaining-requests": "59",
        "x-ratelimit-remaining-tokens": "149984",
        "x-ratelimit-reset-requests": "1s",
        "x-ratelimit-reset-tokens": "6m0s"
      },
      undefined
    ],
    [{ "x-ratelimit-reset-project-tokens": "3s", "x-ratelimit-remaining-project-tokens": "7" }, undefined],
    [{ "x-ratelimit-reset-requests": "1s", "x-ratelimit-remaining-requests": "-1" }, undefined],
    [{ "x-ratelimit-reset-requests": "1s", "x-ratelimit-remaining-requests": "0, 0" }, undefined],
    [{ "x-ratelimit-reset-requests": "1s", "x-ratelimit-remaining-requests": "" }, undefined],
    [{ "x-ratelimit-reset-requests": "1s", "x-ratelimit-remaining-requests": "0".repeat(1_025) }, undefined],
    [{ "x-ratelimit-remaining-requests": "0" }, undefined],
    ...refused("x-ratelimit-reset-requests", [...never, "1", "60", "1.5h", "1s, 2s"])
  ])
})

describe("HintHeader.anthropic", () => {
  table("reads the longest of the exhausted limits", HintHeader.anthropic, [
    [{ "anthropic-ratelimit-requests-reset": "2026-11-20T00:01:00Z" }, minute],
    [{ "anthropic-ratelimit-tokens-reset": "2026-11-20T00:01:00Z" }, minute],
    [{ "anthropic-ratelimit-input-tokens-reset": "2026-11-20T00:01:00Z" }, minute],
    [{ "anthropic-ratelimit-output-tokens-reset": "2026-11-20T00:01:00.500Z" }, 60_500],
    [{ "anthropic-ratelimit-requests-reset": "2026-11-19T00:00:00Z" }, 0],
    [
      {
        "anthropic-ratelimit-requests-remaining": "49",
        "anthropic-ratelimit-requests-reset": "2026-11-20T01:00:00Z",
        "anthropic-ratelimit-input-tokens-remaining": "0",
        "anthropic-ratelimit-input-tokens-reset": "2026-11-20T00:00:07Z",
        "anthropic-ratelimit-output-tokens-remaining": "0",
        "anthropic-ratelimit-output-tokens-reset": "2026-11-20T00:00:05Z"
      },
      7_000
    ]
  ])
  table("refuses everything else", HintHeader.anthropic, [
    [
      {
        "anthropic-ratelimit-requests-limit": "50",
        "anthropic-ratelimit-requests-remaining": "49",
        "anthropic-ratelimit-requests-reset": "2026-11-20T00:01:00Z",
        "anthropic-ratelimit-tokens-limit": "50000",
        "anthropic-ratelimit-tokens-remaining": "49500",
        "anthropic-ratelimit-tokens-reset": "2026-11-20T00:01:00Z"
      },
      undefined
    ],
    ...["input", "output"].map(
      (kind) =>
        [
          {
            [`anthropic-ratelimit-${kind}-tokens-remaining`]: "1",
            [`anthropic-ratelimit-${kind}-tokens-reset`]: "2026-11-20T00:01:00Z"
          },
          undefined
        ] as const
    ),
    ...refused("anthropic-ratelimit-tokens-reset", [...never, "60", "1795132860", "2026-11-20", "6m0s"])
  ])
})

describe("HintHeader.rateLimitReset", () => {
  table("reads the longest of the exhausted limits", HintHeader.rateLimitReset, [
    // Source: https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api, read 2026-11-20.
    [{ "x-ratelimit-limit": "60", "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1795136400" }, 3_600_000],
    [{ "x-ratelimit-reset": "1795132860" }, minute],
    [{ "x-ratelimit-reset": "1795132860000" }, minute],
    [{ "x-ratelimit-reset": "60" }, minute],
    [{ "x-rate-limit-remaining": "0", "x-rate-limit-reset": "1795132860" }, minute],
    // Source: draft-ietf-httpapi-ratelimit-headers-06, section 3.4, read 2026-11-20.
    [{ "ratelimit-remaining": "0", "ratelimit-reset": "50" }, 50_000],
    [{ "x-ratelimit-remaining": "0.0", "x-ratelimit-reset": "345.0" }, 345_000],
    [{ "x-ratelimit-reset": "5", "ratelimit-reset": "1795132860", "ratelimit-remaining": "0" }, minute],
    [{ "x-ratelimit-reset": "1372700873", "x-ratelimit-remaining": "0" }, 0],
    [{ "x-ratelimit-reset": endless }, Infinity]
  ])
  table("refuses everything else", HintHeader.rateLimitReset, [
    [{ "x-rate-limit-remaining": "1", "x-rate-limit-reset": "1795132860" }, undefined],
    [{ "x-ratelimit-limit": "60", "x-ratelimit-remaining": "42", "x-ratelimit-reset": "1795136400" }, undefined],
    [{ "ratelimit-remaining": "4999", "ratelimit-reset": "36000" }, undefined],
    [{ "x-ratelimit-remaining": "0" }, undefined],
    ...refused("x-ratelimit-reset", [...never, "60s", "6m0s", "2026-11-20T00:01:00Z"])
  ])
})

describe("HintHeader.rateLimitReset, of dates", () => {
  const until = (reset: string): Row => [{ "x-ratelimit-reset": reset }, minute]
  table("reads an HTTP-date in each of its forms", HintHeader.rateLimitReset, [
    until("Fri, 20 Nov 2026 00:01:00 GMT"),
    until("Friday, 20-Nov-26 00:01:00 GMT"),
    until("Fri Nov 20 00:01:00 2026"),
    [{ "x-ratelimit-reset": "Thu, 19 Nov 2026 00:00:00 GMT" }, 0],
    [{ "x-ratelimit-reset": "Fri, 20 Nov 2026 00:01:00 GMT", "x-ratelimit-remaining": "1" }, undefined],
    [{ "x-ratelimit-reset": "Fri, 20 Nov 2026 00:01:00 GMT", "x-ratelimit-remaining": "0" }, minute]
  ])

  table("refuses dates of other forms", HintHeader.rateLimitReset, [
    ...refused("x-ratelimit-reset", [
      "Fri, 31 Feb 2026 00:01:00 GMT",
      "fri, 20 nov 2026 00:01:00 gmt",
      "Fri, 20 Nov 2026 00:01:00",
      "2026-11-20T00:01:00Z",
      "20 Nov 2026"
    ])
  ])
})

/** Source: https://discord.com/developers/docs/topics/rate-limits, "Header Format" and its examples. */
describe("HintHeader.rateLimitResetAfter", () => {
  const name = "x-ratelimit-reset-after"
  table("reads seconds with a fraction, where nothing remains", HintHeader.rateLimitResetAfter, [
    [{ [name]: "1" }, 1_000],
    [{ [name]: "64.5", "x-ratelimit-remaining": "0" }, 64_500],
    [{ [name]: "0.5", "x-ratelimit-remaining": "0", "x-ratelimit-scope": "user" }, 500],
    [{ [name]: "0", "x-ratelimit-global": "false" }, 0],
    [{ [name]: endless }, Infinity],
    [{ [name]: "1", "x-ratelimit-remaining": "4" }, undefined],
    [{}, undefined]
  ])

  table("leaves limits that are not those of the route to retry-after", HintHeader.rateLimitResetAfter, [
    [{ [name]: "64.57", "x-ratelimit-remaining": "9", "x-ratelimit-scope": "shared" }, undefined],
    [{ [name]: "64.57", "x-ratelimit-scope": "shared" }, undefined],
    [{ [name]: "64.57", "x-ratelimit-scope": "global" }, undefined],
    [{ [name]: "64.57", "x-ratelimit-global": "true" }, undefined]
  ])

  table("refuses every other form", HintHeader.rateLimitResetAfter, [
    ...refused(name, [...never, ...tooLong, "1.", ".5", "1,5", "1s"])
  ])

  it("comes before a longer reset in another form, whatever the order of the headers", () => {
    const both = { "x-ratelimit-reset": "30", "ratelimit-reset": "40", [name]: "1.5" }
    expect(hint(both)).toEqual({ header: name, millis: 1_500 })
    expect(hint({ ...both, [name]: "soon" })).toEqual({ header: "x-ratelimit-reset", millis: 40_000 })
  })

  it("comes before the reset of the same limit, and after retry-after", () => {
    const limit = { [name]: "1.5", "x-ratelimit-reset": "1795132830", "x-ratelimit-remaining": "0" }
    expect(hint(limit)).toEqual({ header: name, millis: 1_500 })
    expect(hint({ ...limit, "retry-after": "2" })).toEqual({ header: "retry-after", millis: 2_000 })
  })
})

/** Source: https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Pushback". */
describe("HintHeader.grpcRetryPushback", () => {
  const name = "grpc-retry-pushback-ms"
  table("reads a positive integer of 32 bits", HintHeader.grpcRetryPushback, [
    [{ [name]: "0" }, 0],
    [{ [name]: "1500" }, 1_500],
    [{ [name]: " 10 " }, 10],
    [{ [name]: "2147483647" }, 2_147_483_647]
  ])

  table("refuses every other value", HintHeader.grpcRetryPushback, [
    ...refused(name, [...never, ...tooLong, "2147483648", "99999999999", "-5", "00", "01", "1.5", endless])
  ])
})

describe("HintHeader.aboveZero", () => {
  table("takes a wait of zero for none", HintHeader.aboveZero(HintHeader.retryAfter), [
    [{ "retry-after": "0" }, undefined],
    [{ "retry-after": "Fri, 20 Nov 2026 00:00:00 GMT" }, undefined],
    [{ "retry-after": "1" }, 1_000],
    [{ "retry-after": endless }, Infinity],
    [{ "retry-after": "-1" }, undefined]
  ])
})

/** All headers at once, in the order in which they are asked. */
const ladder: ReadonlyArray<readonly [header: string, name: string, value: string, wait: number]> = [
  ["grpc-retry-pushback-ms", "grpc-retry-pushback-ms", "10", 10],
  ["retry-after-ms", "retry-after-ms", "1", 1],
  ["x-ms-retry-after-ms", "x-ms-retry-after-ms", "2", 2],
  ["x-amz-retry-after", "x-amz-retry-after", "3", 3],
  ["retry-after", "retry-after", "4", 4_000],
  ["ratelimit", "ratelimit", '"default";r=0;t=5', 5_000],
  ["x-ratelimit-reset-*", "x-ratelimit-reset-tokens", "6s", 6_000],
  ["anthropic-ratelimit-*-reset", "anthropic-ratelimit-tokens-reset", "2026-11-20T00:00:07Z", 7_000],
  ["x-ratelimit-reset-after", "x-ratelimit-reset-after", "7.5", 7_500],
  ["x-ratelimit-reset", "x-ratelimit-reset", "8", 8_000]
]

describe("HintHeader.standard", () => {
  it("asks the headers in order of precedence", () => {
    const found = ladder.map((_, index) =>
      hint(Object.fromEntries(ladder.slice(index).map(([, name, value]) => [name, value])))
    )
    expect(found).toEqual(ladder.map(([header, , , millis]) => ({ header, millis })))
  })

  it("asks the next header when one is not valid", () => {
    const found = ladder
      .slice(0, -1)
      .map((_, index) =>
        hint(Object.fromEntries(ladder.map(([, name, value], place) => [name, place <= index ? "?" : value])))
      )
    expect(found).toEqual(ladder.slice(1).map(([header, , , millis]) => ({ header, millis })))
  })

  it("names every reader once", () => {
    expect(HintHeader.standard.map(({ name }) => name)).toEqual(ladder.map(([header]) => header))
  })
})

describe("HintHeader.read", () => {
  it("finds nothing when no header says anything", () => {
    expect(hint({})).toBe(undefined)
    expect(hint({ "content-type": "application/json", date: "Fri, 20 Nov 2026 00:00:00 GMT" })).toBe(undefined)
    expect(hint({ "retry-after": "5" }, today, [])).toBe(undefined)
  })

  it("takes the time from the response before the clock", () => {
    const later = "Fri, 20 Nov 2026 00:01:00 GMT"
    const rows: ReadonlyArray<readonly [date: string | undefined, clock: number, wait: number | undefined]> = [
      [undefined, today, minute],
      [undefined, today + minute, 0],
      [undefined, NaN, undefined],
      [undefined, Infinity, undefined],
      ["Fri, 20 Nov 2026 00:00:00 GMT", NaN, minute],
      ["Fri, 20 Nov 2026 00:00:00 GMT", today + 86_400_000, minute],
      ["Fri, 20 Nov 2026 00:00:00 GMT", 0, minute],
      ["Fri Nov 20 00:00:30 2026", today, 30_000],
      ["Friday, 20-Nov-26 00:00:30 GMT", today, 30_000],
      ["Friday, 20-Nov-26 00:00:30 GMT", NaN, undefined],
      ["Fri, 20 Nov 2026 00:02:00 GMT", today, 0],
      ["2026-11-20T00:00:30Z", today, minute],
      ["nonsense", today, minute],
      ["nonsense", NaN, undefined],
      ["", today, minute],
      ["Fri, 20 Nov 2026 00:00:30 GMT, Fri, 20 Nov 2026 00:00:30 GMT", today, minute],
      [`Fri, 20 Nov 2026 00:00:30 GMT${" ".repeat(2_000)}`, today, minute]
    ]
    for (const [reader, value] of [
      ["retry-after", later],
      ["anthropic-ratelimit-tokens-reset", "2026-11-20T00:01:00Z"],
      ["x-ratelimit-reset", "1795132860"],
      ["x-ratelimit-reset", "1795132860000"]
    ] as const) {
      expect(
        rows.map(([date, clock]) => [
          date,
          clock,
          hint({ [reader]: value, ...(date === undefined ? {} : { date }) }, clock)?.millis
        ])
      ).toEqual(rows)
    }
  })

  it("needs no clock for a value that already is a wait", () => {
    const found = ladder.map(([, name, value]) => hint({ [name]: value }, NaN)?.millis)
    expect(found).toEqual(ladder.map(([header, , , wait]) => (header.startsWith("anthropic") ? undefined : wait)))
  })

  it("skips a reader of the caller that finds no wait", () => {
    const found = [NaN, -1, -Infinity, undefined].map((wait) =>
      hint({ "retry-after": "5" }, today, [{ name: "own", read: () => wait }, HintHeader.retryAfter])
    )
    expect(found).toEqual(found.map(() => ({ header: "retry-after", millis: 5_000 })))
    expect(hint({}, today, [{ name: "own", read: () => Infinity }])).toEqual({ header: "own", millis: Infinity })
  })

  it("ignores the properties that every object has", () => {
    expect(hint({ constructor: "5", __proto__: "5", "retry-after": "5" })).toEqual({
      header: "retry-after",
      millis: 5_000
    })
  })
})

/**
 * Source: smithy-lang/smithy-typescript at 6815d3e (2026-08-20),
 * packages/core/src/submodules/retry/middleware-retry/parseRetryAfterHeader.spec.ts, and aws-sdk-java-v2 (2026),
 * BaseRetryableStageTest.java. `theirs` is the wait in milliseconds that they expect if it is not ours.
 */
interface Vector {
  readonly id: string
  readonly headers: Record<string, string>
  readonly ours: HintHeader.Found | undefined
  readonly theirs?: number | undefined
}

/** 2026-03-17T17:37:54.339Z */
const smithyNow = 1_773_769_074_339

const vectors: ReadonlyArray<Vector> = [
  { id: "amz-ms", headers: { "x-amz-retry-after": "5000" }, ours: { header: "x-amz-retry-after", millis: 5_000 } },
  { id: "amz-not-number", headers: { "x-amz-retry-after": "abc" }, ours: undefined },
  { id: "seconds", headers: { "retry-after": "120" }, ours: { header: "retry-after", millis: 120_000 } },
  {
    id: "http-date",
    headers: { "retry-after": "Tue, 17 Mar 2026 17:38:54 GMT" },
    ours: { header: "retry-after", millis: 59_661 }
  },
  // Two lines, which RFC 9110, section 5.3, does not allow: the first counts here, as with every client of node:http.
  {
    id: "date-comma-seconds",
    headers: { "retry-after": "Tue, 17 Mar 2026 17:38:24 GMT, 45" },
    ours: { header: "retry-after", millis: 29_661 },
    theirs: 45_000
  },
  { id: "garbage", headers: { "retry-after": "not-a-number" }, ours: undefined },
  { id: "bad-date", headers: { "retry-after": "Invalid Date GMT" }, ours: undefined },
  // Not an HTTP-date.
  { id: "iso-date", headers: { "retry-after": "2026-03-17T17:38:24.339Z" }, ours: undefined, theirs: 30_000 },
  // They ask in the order of the headers on the response, in Java in the same order as here.
  {
    id: "first-header-wins",
    headers: { "retry-after": "10", "x-amz-retry-after": "9999" },
    ours: { header: "x-amz-retry-after", millis: 9_999 },
    theirs: 10_000
  },
  { id: "none", headers: { "content-type": "application/json" }, ours: undefined },
  { id: "java-seconds", headers: { "Retry-After": "1" }, ours: { header: "retry-after", millis: 1_000 } },
  { id: "java-garbage", headers: { "Retry-After": "one second" }, ours: undefined },
  // A number that theirs cannot hold is no wait; here it is a long one, for the policy to bound.
  {
    id: "java-seconds-overflow",
    headers: { "Retry-After": "9223372036854775807" },
    ours: { header: "retry-after", millis: 2 ** 63 * 1_000 },
    theirs: 0
  },
  { id: "java-amz", headers: { "x-amz-retry-after": "1" }, ours: { header: "x-amz-retry-after", millis: 1 } },
  { id: "java-amz-garbage", headers: { "x-amz-retry-after": "one second" }, ours: undefined },
  {
    id: "java-amz-overflow",
    headers: { "x-amz-retry-after": "9223372036854775807" },
    ours: { header: "x-amz-retry-after", millis: 2 ** 63 },
    theirs: 0
  },
  {
    id: "java-both",
    headers: { "Retry-After": "1", "x-amz-retry-after": "50" },
    ours: { header: "x-amz-retry-after", millis: 50 }
  }
]

describe("HintHeader on the vectors of AWS", () => {
  it("finds what AWS finds, except for the marked ones", () => {
    expect(vectors.map(({ headers, id }) => [id, hint(headers, smithyNow)])).toEqual(
      vectors.map(({ id, ours }) => [id, ours])
    )
  })

  it("differs where they are marked", () => {
    const marked = vectors.filter((vector) => "theirs" in vector)
    expect(marked.map(({ id }) => id)).toEqual([
      "date-comma-seconds",
      "iso-date",
      "first-header-wins",
      "java-seconds-overflow",
      "java-amz-overflow"
    ])
    expect(marked.filter(({ ours, theirs }) => ours?.millis === theirs)).toEqual([])
  })
})
