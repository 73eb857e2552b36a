import { Plan } from "@effect-retry/plan"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { type Dialect, dialects, write } from "../src/playground/Code.ts"
import { describe as describeSettings } from "../src/playground/Description.ts"
import { explainable } from "../src/playground/Policy.ts"
import { read, Unreadable } from "../src/playground/ReadText.ts"
import { initial, type Settings } from "../src/playground/Settings.ts"
import { comparedControls, presetControls, serverControls, wishControls } from "../src/playground/Controls.ts"
import { randomSettings } from "../src/playground/RandomSettings.ts"
import { taken } from "../src/playground/Taking.ts"

/** The settings of the policy alone. */
const ofPolicy = (settings: Settings): Settings => ({
  ...settings,
  ...Object.fromEntries(
    Object.entries({ ...presetControls, ...serverControls, ...comparedControls, ...wishControls }).map(
      ([key, { initial }]) => [key, initial]
    )
  )
})

/** Below this package, so that its imports are found. */
const dist = join(import.meta.dirname, "dist")
mkdirSync(dist, { recursive: true })
const folder = mkdtempSync(join(dist, "programs-"))
afterAll(() => rmSync(folder, { recursive: true }))

const planOf = (policy: () => Promise<Plan.Explainable>): Promise<string> =>
  policy().then((policy) => Plan.toText(Plan.explain(policy)), String)

describe("Code.write", () => {
  it.each(Object.keys(dialects) as ReadonlyArray<Dialect>)("writes %s that ReadText reads back", (dialect) => {
    for (const settings of randomSettings(300)) {
      const hedge = dialect === "effect" || dialect === "effect4" ? settings.hedge : 0
      expect(read(write(dialect, settings), initial)).toEqual({ ...ofPolicy(settings), hedge })
    }
  })

  it.each(randomSettings(12).map((settings, i) => [i, settings] as const))(
    "writes a program %i that has the plan of the page, or is refused as the page is",
    async (i, settings) => {
      const file = join(folder, `Program${i}.ts`)
      writeFileSync(file, write("effect", settings))
      const ofProgram = async () => ((await import(file)) as { readonly policy: Plan.Explainable }).policy
      const ofPage = async () => explainable(settings)
      expect(await planOf(ofProgram)).toBe(await planOf(ofPage))
    }
  )

  it("names each module once", () => {
    for (const settings of randomSettings(100)) {
      const [first = ""] = write("effect", settings).split("\n")
      const names = first.replace(/^import \{ (.*) \}.*$/, "$1").split(", ")
      expect(names).toEqual([...new Set(names)].toSorted())
    }
  })
})

describe("ReadText.read", () => {
  it("reads a policy as people write one", () => {
    const text = `
      // of the payments service
      const policy = Policy.make({
        classifier: Classifier.fromTags({ Busy: ({ retryAfter }) => Verdict.retryable("Throttling", { hint: retryAfter }) }),
        'maxAttempts': 5,
        backoff: Backoff.exponential({ base: '200 millis', factor: 3 }).pipe(Backoff.capped("2 seconds")),
        deadline: Deadline.refuse("10 seconds"),
        bucket: TokenBucket.RetryBucket,
      })
      const layer = Layer.effect(TokenBucket.RetryBucket, TokenBucket.successRatio({ ratio: 0.2, capacity: 20 }))`
    expect(read(text, initial)).toMatchObject({
      maxAttempts: 5,
      base: 200,
      factor: 3,
      cap: 2000,
      jitter: "none",
      deadline: "refuse",
      deadlineWithin: 10_000,
      bucket: "successRatio",
      bucketRatio: 0.2,
      bucketCapacity: 20
    })
  })

  it.each([
    ["as it is", "{ ...Policy.standard, classifier: Classifier.always }", {}],
    ["over HTTP", "HttpRetry.withRetry({ ...HttpRetry.standard, observe: [Observe.logs()] })", {}],
    [
      "with fields after it",
      `const policy = { ...Policy.standard, maxAttempts: 6, deadline: Deadline.refuse("10 seconds") }`,
      { maxAttempts: 6, deadline: "refuse", deadlineWithin: 10_000 }
    ],
    ["with fields before it", "{ maxAttempts: 6, ...Policy.standard }", {}]
  ] as const)("reads the preset of the pages %s", async (_, text, changed) => {
    const { settings } = await taken("standard")
    expect(read(text, initial)).toEqual({ ...ofPolicy(settings), preset: initial.preset, ...changed })
  })

  it.each([
    ["nothing", "", "there is no object with a field maxAttempts or with ...Policy.standard"],
    ["no policy", "alert(1)", "there is no object with a field maxAttempts or with ...Policy.standard"],
    [
      "a preset of a vendor",
      "{ ...AwsRetry.standard, maxAttempts: 5 }",
      "...AwsRetry.standard cannot be read here: choose it under Preset, or write its fields"
    ],
    ["a policy from elsewhere", "{ ...policy, maxAttempts: 5 }", "...policy cannot be read here: write its fields"],
    ["half of a policy", "{ maxAttempts: 3, backoff: Backoff.constant(", "the text ends before the policy does"],
    [
      "a schedule of Effect",
      "{ maxAttempts: 3, backoff: Schedule.spaced(1) }",
      "Schedule.spaced has no control on this page"
    ],
    [
      "a member of Object",
      "{ maxAttempts: 3, hint: Object.constructor }",
      "Object.constructor has no control on this page"
    ],
    ["a statement", "{ maxAttempts: 3, hint: [1] }", "a value of a policy cannot begin with ["],
    ["much", `{ maxAttempts: 3, ${" ".repeat(20_000)}`, "the text is longer than 20000 characters"],
    ["depth", `{ maxAttempts: 3, backoff: ${"Backoff.capped(".repeat(30)}`, "an expression is nested more than 20 deep"]
  ])("refuses %s", (_, text, message) => {
    expect(() => read(text, initial)).toThrow(new Unreadable(message))
  })

  it("runs nothing", () => {
    const text = `{ maxAttempts: 3, classifier: (globalThis.wasRun = true), name: "}" + globalThis.wasRun++ }`
    expect(read(text, initial).maxAttempts).toBe(3)
    expect("wasRun" in globalThis).toBe(false)
  })

  it.each([
    ["an attempt too many", "{ maxAttempts: 51 }", "Maximum attempts must be a whole number from 1 to 50, got 51"],
    ["half an attempt", "{ maxAttempts: 2.5 }", "Maximum attempts must be a whole number from 1 to 50, got 2.5"],
    ["a long delay", `{ maxAttempts: 3, backoff: Backoff.constant({ delay: "1 day" }) }`, "Base must be from 0 ms"],
    ["no delay", `{ maxAttempts: 3, backoff: Backoff.constant({ delay: "soon" }) }`, `a duration cannot be "soon"`],
    ["a number as text", `{ "maxAttempts": "many" }`, `Maximum attempts must be`],
    ["another expression", "{ maxAttempts: Limits.attempts }", "a value of a policy cannot be Limits.attempts"],
    ["an unknown choice", `{ "curve": "__proto__" }`, `Curve must be one of constant, linear`],
    ["an unknown setting", `{ "maxAttempts": 3, "backoff": "full" }`, "backoff is no setting of this page"],
    [
      "a misspelt option",
      `{ maxAttempts: 3, backoff: Backoff.exponential({ base: "1 second", fakter: 2 }) }`,
      "Backoff.exponential has no option fakter on this page"
    ],
    [
      "an option of a second argument",
      `{ maxAttempts: 3, deadline: Deadline.refuse("1 minute", { reserve: "2 seconds" }) }`,
      "Deadline.refuse has no option reserve on this page"
    ],
    [
      "an option of a bucket",
      `{ maxAttempts: 3 }; TokenBucket.quota({ capacity: 5, refillPerSecond: 1 })`,
      "TokenBucket.quota has no option refillPerSecond on this page"
    ],
    [
      "an option within another",
      `{ maxAttempts: 3 }; CircuitBreaker.make({ opensAt: { failureRatio: 0.5 } })`,
      "CircuitBreaker.make has no option failureRatio on this page"
    ],
    [
      "another choice of an option",
      `{ maxAttempts: 3, hint: Hint.floor({ atMost: "1 second", otherwise: "clamp" }) }`,
      `Hint.floor has only "giveUp" for otherwise on this page, got "clamp"`
    ],
    [
      "more hedges",
      `{ maxAttempts: 3 }; Hedge.hedge({ delay: 5, maxAttempts: 3 })`,
      "Hedge.hedge has only 2 for maxAttempts on this page, got 3"
    ],
    ["a misspelt field", "{ maxAttempts: 3, hints: Hint.ignore }", "a policy has no field hints on this page"],
    ["no setting", "{}", "there is no setting of this page"]
  ])("refuses %s instead of changing it", (_, text, message) => {
    expect(() => read(text, initial)).toThrow(message)
  })

  it.each([
    [`"250 millis"`, 250],
    ["250", 250],
    ["Duration.millis(250)", 250],
    ["Duration.seconds(2)", 2000],
    ["Duration.minutes(3)", 180_000],
    ["Duration.hours(1)", 3_600_000]
  ])("reads the duration %s", (delay, millis) => {
    expect(read(`{ maxAttempts: 3, backoff: Backoff.constant({ delay: ${delay} }) }`, initial).base).toBe(millis)
  })
})

describe("Description.describe", () => {
  it("writes the policy of the first view", () => {
    expect(write("effect", initial)).toContain("export const policy = {")
    expect(describeSettings(initial).bucket).toBeUndefined()
  })
})
