import { Backoff } from "@effect-retry/core"
import * as Circuit from "@effect-retry/core/unstable/Circuit"
import * as CircuitSettings from "@effect-retry/core/unstable/CircuitSettings"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck, Option } from "effect"
import * as CircuitText from "../../src/decide/CircuitText.ts"

const settings = CircuitSettings.check("a", {
  openFor: Backoff.exponential({ base: "1 second" }),
  probeTimeout: "30 seconds",
  probes: 3,
  successes: 2
})

const nowMillis = 1_000_000

const decode = (text: string, offsetMillis = 0) =>
  CircuitText.decode(text, Circuit.closed(settings, nowMillis, 7), settings, nowMillis, offsetMillis)

/** What is the same for all processes: how the circuit counts is not. */
const shared = (circuit: Circuit.Circuit) => {
  const { firstMillis, openMillis, opened } = circuit
  const kept = { _tag: circuit._tag, firstMillis, openMillis, opened }
  switch (circuit._tag) {
    case "Closed":
      return { ...kept, sinceMillis: circuit.sinceMillis }
    case "Open":
      return { ...kept, untilMillis: circuit.untilMillis }
    case "HalfOpen":
      return { ...kept, probes: circuit.probes, succeeded: circuit.succeeded }
    case "Isolated":
      return kept
  }
}

const past = FastCheck.integer({ min: 0, max: nowMillis })

const kept = FastCheck.record({
  next: FastCheck.nat(),
  openFor: FastCheck.constant(settings.openFor),
  opened: FastCheck.nat(20),
  openMillis: FastCheck.integer({ min: 1, max: 60_000 }),
  firstMillis: past
})

/** A circuit at `nowMillis`. */
const circuits: FastCheck.Arbitrary<Circuit.Circuit> = FastCheck.oneof(
  FastCheck.record({ kept, sinceMillis: past }).map(({ kept, sinceMillis }) => ({
    ...Circuit.closed(settings, sinceMillis),
    ...kept
  })),
  FastCheck.record({ kept, left: FastCheck.integer({ min: -1000, max: 60_000 }) }).map(({ kept, left }) => ({
    ...kept,
    _tag: "Open" as const,
    untilMillis: nowMillis + Math.min(left, kept.openMillis)
  })),
  FastCheck.record({
    kept,
    succeeded: FastCheck.nat(1),
    probes: FastCheck.array(
      FastCheck.record({
        ticket: FastCheck.nat({ max: 2 ** 52 }),
        untilMillis: FastCheck.integer({ min: nowMillis - 1000, max: nowMillis + 30_000 })
      }),
      { maxLength: 4 }
    )
  }).map(({ kept, ...own }) => ({ ...kept, ...own, _tag: "HalfOpen" as const })),
  kept.map((kept) => ({ ...kept, _tag: "Isolated" as const }))
)

/** Texts that are nearly those of circuits, and any others. */
const hostile = FastCheck.oneof(
  FastCheck.string({ unit: "binary", maxLength: 60 }),
  FastCheck.array(
    FastCheck.constantFrom(
      ..."Open HalfOpen Closed Isolated open 1 0 -1 -0 1e9 NaN Infinity 9999999999999999 99999999999999999 0x1 1.5".split(
        " "
      ),
      "",
      "\n",
      "١"
    ),
    { maxLength: 9 }
  ).map((words) => words.join(" "))
)

describe("CircuitText.encode", () => {
  it.prop(
    "is read back as the same circuit by a process with another clock",
    [circuits, FastCheck.integer()],
    ([circuit, offset]) => {
      const { text } = CircuitText.encode(circuit, nowMillis, offset)
      expect(CircuitText.isClosed(text)).toBe(circuit._tag === "Closed")
      expect(Option.isSome(CircuitText.fromAnswer([text, 0]))).toBe(true)
      expect(shared(decode(text, offset))).toEqual(shared(circuit))
    }
  )

  it.prop("keeps a text at least until its last time", [circuits], ([circuit]) => {
    const { forMillis } = CircuitText.encode(circuit, nowMillis, 0)
    const millis = Circuit.millisUntil(circuit, settings, nowMillis)
    expect(forMillis).toBeGreaterThan(Number.isFinite(millis) ? millis : 0)
  })

  const anHour = 3_600_000
  const settled = { ...Circuit.closed(settings, nowMillis), openMillis: 4000 }
  const probe = (untilMillis: number) => ({ ticket: untilMillis, untilMillis })

  it.each<readonly [string, Circuit.Circuit, number]>([
    ["closed, for its last open time", settled, 4000 + anHour],
    ["open, until it is over", { ...settled, _tag: "Open", untilMillis: nowMillis + 500 }, 500 + 4000 + anHour],
    ["open for too long", { ...settled, _tag: "Open", untilMillis: nowMillis - 500 }, 4000 + anHour],
    [
      "half open, until its last probe",
      { ...settled, _tag: "HalfOpen", succeeded: 0, probes: [probe(nowMillis + 700), probe(nowMillis + 200)] },
      700 + 4000 + anHour
    ],
    ["half open without a probe", { ...settled, _tag: "HalfOpen", succeeded: 1, probes: [] }, 4000 + anHour],
    ["isolated, for a hundred years", { ...settled, _tag: "Isolated" }, CircuitText.longestMillis]
  ])("keeps the text of a circuit an hour longer than it says anything: %s", (_, circuit, forMillis) => {
    expect(CircuitText.encode(circuit, nowMillis, 0).forMillis).toBe(forMillis)
  })

  it.each([1e16, 1e20, Number.MAX_VALUE, Infinity])("cuts an open time of %d ms to a hundred years", (millis) => {
    const closed = Circuit.closed(settings, nowMillis)
    const open: Circuit.Circuit = { ...closed, _tag: "Open", openMillis: millis, untilMillis: nowMillis + millis }
    const { forMillis, text } = CircuitText.encode(open, nowMillis, 1_800_000_000_000)
    expect(Option.isSome(CircuitText.fromAnswer([text, 0]))).toBe(true)
    expect(decode(text, 1_800_000_000_000)).toMatchObject({
      _tag: "Open",
      untilMillis: nowMillis + CircuitText.longestMillis
    })
    expect(forMillis).toBeLessThan(2 * CircuitText.longestMillis)
  })
})

describe("CircuitText.fromAnswer", () => {
  it.each([
    "",
    "Closed 1 1 1 1",
    "Open 1 1 1 1",
    "HalfOpen 1 1 1 0",
    "HalfOpen 1 1 1 0 5 -1",
    "Isolated 0 0 0",
    "Open 9999999999999999 1 1 1"
  ])("takes %j", (text) => {
    expect(CircuitText.fromAnswer([text, 1500])).toEqual(Option.some({ text, nowMillis: 1.5 }))
  })

  it.each([
    " ",
    "Open",
    "Open 1 1 1",
    "Open 1 1 1 1 1 1",
    "open 1 1 1 1",
    "Open 1 1 1 1 ",
    "Open  1 1 1 1",
    "Open 1 1 1 1\n",
    "Open 1 1 1 1.5",
    "Open 1 1 1 1e9",
    "Open 1 1 1 +1",
    "Open 1 1 1 99999999999999999",
    "HalfOpen 1 1 1 0 5",
    `HalfOpen 1 1 1 0${" 1 1".repeat(CircuitText.mostProbes + 1)}`,
    "toString 1 1 1 1",
    "Isolated 0 0 0 0"
  ])("takes no %j", (text) => {
    expect(CircuitText.fromAnswer([text, 0])).toEqual(Option.none())
  })
})

describe("CircuitText.decode", () => {
  it.prop(
    "makes a circuit of any text, which lets an attempt through after the longest time of its state",
    [hostile],
    ([text]) => {
      const circuit = decode(text)
      if (Option.isNone(CircuitText.fromAnswer([text, 0])))
        expect(circuit).toEqual(Circuit.closed(settings, nowMillis, 7 + 1))
      expect(["Closed", "Open", "HalfOpen", "Isolated"]).toContain(circuit._tag)
      const millis = Circuit.millisUntil(circuit, settings, nowMillis)
      const most = Math.max(circuit.openMillis, settings.maxHintMillis, 30_000)
      if (circuit._tag !== "Isolated") expect(millis).toBeLessThanOrEqual(most)
    }
  )

  it("goes on with the open times that other processes have used", () => {
    const circuit = decode("Closed 3 4000 999000 999000")
    const [ticket] = Circuit.asked(circuit, settings, nowMillis)
    const failed = { _tag: "Failed", kind: "Server", hintMillis: 0, ranMillis: 0 } as const
    let after: ReturnType<typeof Circuit.recorded> = circuit
    for (let i = 0; i < 5; i += 1) {
      if (after === Circuit.needsDraw) break
      after = Circuit.recorded(after, settings, nowMillis, ticket ?? NaN, failed, 0.5)
    }
    expect(after).toMatchObject({ _tag: "Open", opened: 4, openMillis: 8000 })
  })
})
