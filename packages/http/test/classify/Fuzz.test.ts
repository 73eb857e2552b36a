import { Headers } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import * as HintHeader from "../../src/classify/HintHeader.ts"

const seed = 20_261_120

/** Mulberry32: small, fast, and the same on every machine. */
const random = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}
type Random = ReturnType<typeof random>

const pick = <A>(draw: Random, from: ReadonlyArray<A>): A => from[draw(from.length)] as A

/** Valid values, header by header. */
const seeds: ReadonlyArray<readonly [header: string, values: ReadonlyArray<string>]> = [
  ["grpc-retry-pushback-ms", ["1500", "0"]],
  ["retry-after-ms", ["20", "1234.5", "0"]],
  ["x-ms-retry-after-ms", ["9", "3.25"]],
  ["x-amz-retry-after", ["50", "9999"]],
  [
    "retry-after",
    ["120", "1.5", "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"]
  ],
  ["date", ["Fri, 20 Nov 2026 00:00:00 GMT", "Friday, 20-Nov-26 00:00:00 GMT", "Fri Nov 20 00:00:00 2026"]],
  ["ratelimit", ['"default";r=0;t=30', '"burst";r=0, "daily";r=0;t=3600;pk=:QQ==:', '"x\\"y";r=0;a=?1;b=@7;c=%"z"']],
  ["ratelimit-policy", ['"burst";q=100;w=60,"daily";q=1000;w=86400', '"default";q=65535;qu="content-bytes";w=10']],
  ["x-ratelimit-reset-requests", ["1s", "6m0s", "20ms", "1h2m3.5s"]],
  ["x-ratelimit-remaining-requests", ["0", "0.0", "59"]],
  ["anthropic-ratelimit-tokens-reset", ["2026-11-20T00:01:00Z", "2026-11-20T01:01:00.123+01:00"]],
  ["anthropic-ratelimit-tokens-remaining", ["0", "49500"]],
  ["x-ratelimit-reset-after", ["1.5", "64"]],
  ["x-ratelimit-scope", ["user", "global"]],
  ["x-ratelimit-reset", ["60", "1795132860", "1795132860000", "345.0", "Fri, 20 Nov 2026 00:01:00 GMT"]],
  ["ratelimit-reset", ["50"]],
  ["x-ratelimit-remaining", ["0", "42"]]
]

const odd = [
  "\0",
  "\n",
  "\u00a0",
  "٥",
  "５",
  "ß",
  "\ud800",
  "😀",
  "\\",
  '"',
  "%",
  ":",
  "@",
  "?",
  "(",
  "-",
  "+",
  ".",
  "e"
]
const words = ["GMT", "Sun", "Sunday", "Feb", "Infinity", "NaN", "0x", "1e99", ";r=0", ";t=", ', "a"', "T", "Z", "ms"]

const inserted = [...odd, ...words, "0", "9", " ", ""]

const bytes = (draw: Random): string => {
  let text = ""
  for (let left = draw(24); left > 0; left--) text += String.fromCharCode(draw(256))
  return text
}

const digits = (draw: Random): string => pick(draw, ["", "-", "+", "0.", " "]) + String(draw(10)).repeat(draw(1_500))

const offsets = ["Z", "+01:00", "-23:59", "+24:00", ".5Z", ""]

const nearDate = (draw: Random): string => {
  const two = (below: number) => String(draw(below)).padStart(2, "0")
  const month = pick(draw, ["Jan", "Feb", "Jun", "Dec", "jan", "13"])
  const time = `${two(26)}:${two(62)}:${two(62)}`
  switch (draw(4)) {
    case 0:
      return `Sun, ${two(34)} ${month} ${draw(12_000)} ${time} GMT`
    case 1:
      return `Sunday, ${two(34)}-${month}-${two(101)} ${time} GMT`
    case 2:
      return `Sun ${month} ${String(draw(34)).padStart(2)} ${time} ${draw(12_000)}`
    default:
      return `${draw(12_000)}-${two(14)}-${two(33)}T${time}${pick(draw, offsets)}`
  }
}

const mutated = (draw: Random, values: ReadonlyArray<string>): string => {
  let text = pick(draw, values)
  for (let left = 1 + draw(2); left > 0; left--) {
    const at = draw(text.length + 1)
    const rest = draw(2) === 0 ? at : at + 1
    text = text.slice(0, at) + pick(draw, inserted) + text.slice(rest)
  }
  return text
}

const value = (draw: Random, values: ReadonlyArray<string>): string => {
  switch (draw(8)) {
    case 0:
      return bytes(draw)
    case 1:
      return digits(draw)
    case 2:
      return nearDate(draw)
    case 3:
    case 4:
      return pick(draw, values)
    default:
      return mutated(draw, values)
  }
}

const clocks = [1_795_132_800_000, 0, -1, NaN, Infinity, -Infinity, 8.64e15, 1e300]

/** A quarter of a million, or a quarter of that without `LAW_RUNS`. */
const most = 250_000 * Number(process.env["LAW_RUNS"] ?? 0.25)

describe("HintHeader.read", () => {
  it(`finds a wait in range or none in ${most} random values, from seed ${seed}`, () => {
    const draw = random(seed)
    const found = new Map<string, number>()
    const outOfRange: Array<unknown> = []
    let values = 0
    while (values < most) {
      // One header with what its reader may look at besides.
      const at = draw(seeds.length)
      const from: Record<string, string> = {}
      for (const [name, valid] of seeds.slice(at, at + 3)) {
        from[name] = value(draw, valid)
        values++
      }
      const headers = Headers.unsafeFromRecord(from)
      const clock = pick(draw, clocks)
      const wait = HintHeader.read(HintHeader.standard, headers, clock)
      if (wait === undefined) continue
      found.set(wait.header, (found.get(wait.header) ?? 0) + 1)
      if (!(wait.millis >= 0) || Object.is(wait.millis, -0)) outOfRange.push([from, clock, wait])
    }
    expect(outOfRange).toEqual([])
    // Every reader was reached beyond its first look at a value.
    expect(HintHeader.standard.filter(({ name }) => (found.get(name) ?? 0) < most / 1000)).toEqual([])
  })

  it("does no work on a value that is too long", () => {
    const everywhere = (value: string) => {
      const headers = Headers.unsafeFromRecord(Object.fromEntries(seeds.map(([name]) => [name, value])))
      return HintHeader.standard.map((hint) => hint.read(headers, NaN)).filter((wait) => wait !== undefined)
    }
    const zeros = "0".repeat(1_024)
    const limit = `"${"a".repeat(1_013)}";r=0;t=30`
    expect(everywhere(zeros)).toEqual([0, 0, 0, 0, 0, 0])
    expect(everywhere(limit)).toEqual([30_000])
    const tooLong = [`0${zeros}`, zeros.repeat(1_000), limit.replace("a", "aa"), `${limit}${`,${limit}`.repeat(1_000)}`]
    expect(tooLong.flatMap(everywhere)).toEqual([])
  })
})
