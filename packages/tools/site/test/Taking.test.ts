import { Plan } from "@effect-retry/plan"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import { describe, expect, it } from "vitest"
import { explainable } from "../src/playground/Policy.ts"
import { load } from "../src/playground/PresetClients.ts"
import { type PresetKey, presets } from "../src/playground/Presets.ts"
import { fromHash, type Settings, toHash } from "../src/playground/Settings.ts"
import { taken } from "../src/playground/Taking.ts"

const keys = Object.keys(presets) as ReadonlyArray<PresetKey>

const delaysOf = ({ backoff, maxAttempts }: Plan.Explainable) =>
  Plan.explain({ backoff, maxAttempts })
    .attempts.map(({ delay }) =>
      Option.match(delay, {
        onNone: () => "",
        onSome: ({ least, most }) => `${Duration.format(least)} ${Duration.format(most)}`
      })
    )
    .join("\n")

/** What is said of delays that the controls do not make. */
const otherDelays = /^its (delays|jitter|back-off)|^the back-off of/

describe("Taking.taken", () => {
  const rows: ReadonlyArray<readonly [PresetKey, Partial<Settings>, ReadonlyArray<string>]> = [
    [
      "awsStandard",
      { maxAttempts: 3, base: 50, factor: 2, cap: 20_000, jitter: "full", bucket: "quota", bucketCapacity: 500 },
      ["the back-off of Throttling", "hints, which it follows up to 5 s above its delay", "its classifier"]
    ],
    ["awsLegacyJava", { bucket: "none" }, ["the back-off of Throttling", "its classifier", "its token bucket"]],
    [
      "googlePython",
      { maxAttempts: 50, base: 1000, jitter: "full", hint: "ignore", deadline: "refuse" },
      [`more than 50 for "Maximum attempts"`]
    ],
    ["googleNodeStorage", { deadline: "truncate", deadlineReserve: 1 }, ["its delays (retryRequest)"]],
    [
      "grpc",
      { maxAttempts: 4, base: 100, cap: 1000, jitter: "proportional", jitterRatio: 0.2, hint: "override" },
      [
        "a hint of zero, after which it retries at once",
        "a back-off that starts over after a hint",
        `more than 60 min for "Longest hint"`,
        "its classifier",
        "its token bucket"
      ]
    ],
    [
      "openai",
      { attemptTimeout: 600_000, base: 500, cap: 8000, jitter: "none", hintAtMost: 60_000 },
      ["its jitter (minus a quarter)", "its classifier"]
    ],
    [
      "celery",
      { base: 1000, jitter: "full" },
      ["the chances within the delays of its curve celery", "the jitter above a hint"]
    ],
    ["connectRetry", { maxAttempts: 8, base: 1000, factor: 2, jitter: "none" }, ["the jitter above a hint"]],
    ["once", { maxAttempts: 1 }, ["the jitter above a hint"]]
  ]

  it.each(rows)(
    "of %s has the values of its package, and says what no control expresses",
    async (key, values, left) => {
      const found = await taken(key)
      expect(found.settings).toMatchObject({ ...values, preset: key })
      expect(found.left).toEqual(left)
      expect(found.from).toBe(`${presets[key].member} of ${presets[key].from}`)
    }
  )

  it.each(keys)("of %s makes the delays of its package, or says that it does not", async (key) => {
    const { left, settings } = await taken(key)
    const isSame = left.every((said) => !otherDelays.test(said))
    const [ours, theirs] = [delaysOf(explainable(settings)), delaysOf((await load(key)).policy)]
    expect(ours === theirs).toBe(isSame)
  })

  it.each(keys)("of %s is kept by a link", async (key) => {
    const { settings } = await taken(key)
    expect(fromHash(toHash(settings))).toEqual(settings)
  })
})
