import { AwsConfig, AwsDefaults, AwsQuota, AwsRetry, Kotlin } from "@effect-retry/aws"
import { type Policy, Retry, TokenBucket } from "@effect-retry/core"
import * as BackoffTree from "@effect-retry/core/unstable/BackoffTree"
import { SeededRandom, Timeline, VirtualClock } from "@effect-retry/testing"
import { FileSystem, Path } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { ConfigProvider, Context, Effect, Layer } from "effect"
import * as Sources from "../../../core/test/support/Sources.ts"
import { rowsOf } from "./rows.ts"

const path = "docs/aws.md"

const codeIn = (cell = ""): string => /`([^`]+)`/.exec(cell)?.[1] ?? ""

/** The member of a module that a cell names. */
const named = <A extends object>(module: A, cell: string): A[keyof A] => {
  const found = Object.entries(module).find(([name]) => codeIn(cell).endsWith(`.${name}`))
  if (found === undefined) throw new Error(`there is no ${cell}`)
  return found[1]
}

interface Preset extends Policy.Preset {
  readonly bucket?: unknown
  readonly rateLimiter?: unknown
}

/** The delays of the first three retries at one end of what may be drawn. */
const delays = ({ backoff }: Preset, kind: "Throttling" | undefined, u: number): ReadonlyArray<number> => {
  const millis: Array<number> = []
  let { tree } = backoff
  for (let retry = 1; retry <= 3; retry++) {
    const stepped = BackoffTree.step(tree, { u, kind, ranMillis: 0, elapsedMillis: 0 })
    if (stepped === undefined) break
    millis.push(stepped.delayMillis)
    tree = stepped.rest
  }
  return millis
}

const waits = (preset: Preset, kind: "Throttling" | undefined): string => {
  const longest = delays(preset, kind, 1 - 2 ** -53)
  return delays(preset, kind, 0)
    .map((least, i) => (least === longest[i] ? String(least) : `${least}-${longest[i]}`))
    .join(", ")
}

const tags = new Map<unknown, string>([
  [AwsRetry.Quota, "`AwsRetry.Quota`"],
  [AwsRetry.SendRate, "`AwsRetry.SendRate`"]
])

describe(`${path} ## The modes side by side`, () => {
  const rows = rowsOf(path, "## The modes side by side")

  it("has a row for each preset", () => {
    const presets = Object.entries(AwsRetry).flatMap(([name, value]) =>
      Context.isTag(value) ? [] : [`\`AwsRetry.${name}\``]
    )
    expect(rows.map(([name]) => name).toSorted()).toEqual(presets.toSorted())
  })

  it.each(rows)("%s is what the table says", (name = "", ...cells) => {
    const preset = named(AwsRetry, name) as Preset
    expect(cells).toEqual([
      String(preset.maxAttempts),
      waits(preset, undefined),
      waits(preset, "Throttling"),
      preset.hint?._tag,
      tags.get(preset.bucket) ?? "none",
      tags.get(preset.rateLimiter) ?? "none"
    ])
  })
})

describe(`${path} ### Settings of the SDK for Kotlin`, () => {
  const rows = rowsOf(path, "### Settings of the SDK for Kotlin")

  /** The settings of a column, as a program would write them. */
  const settingsOf = (rows: ReadonlyArray<ReadonlyArray<string>>, column: 1 | 2): Kotlin.Settings => {
    const settings: Record<string, unknown> = {}
    for (const row of rows) {
      const value: unknown = JSON.parse(row[column] ?? "")
      const [first = "", second] = codeIn(row[0]).split(".")
      const group = (settings[first] ?? {}) as Record<string, unknown>
      settings[first] = second === undefined ? value : { ...group, [second]: value }
    }
    return settings
  }

  /** What a strategy does with one script: when calls are made, and what is left in its bucket. */
  const behaviour = (settings: Kotlin.Settings) =>
    Effect.gen(function* () {
      const policy = yield* Kotlin.make(settings)
      const failures = [
        { status: 503 },
        { name: "Throttling", status: 400 },
        { name: "X", $retryable: {}, $fault: "server" }
      ]
      const runs = yield* Effect.forEach([...failures, undefined, failures[1], undefined], (failure) => {
        const asking = { "x-amz-retry-after": "9000" }
        const call = failure === undefined ? Effect.void : Effect.fail({ ...failure, headers: asking })
        return Timeline.record(Retry.retry(Timeline.attempt(call), policy))
      })
      return { runs: runs.map(Timeline.startsMillis), level: yield* policy.bucket.level }
    }).pipe(VirtualClock.run, Effect.provide(SeededRandom.layerConstant(0.25)))

  it.effect.each([
    { column: 1, gate: false },
    { column: 2, gate: true }
  ] as const)("of column $column are the defaults", ({ column, gate }) =>
    Effect.gen(function* () {
      const defaults = { newRetries2026: gate, rateLimiter: {} }
      const listed = { ...settingsOf(rows, column), newRetries2026: gate }
      expect(yield* behaviour(listed)).toEqual(yield* behaviour(defaults))
    })
  )

  /** The settings of a script that is short: those of the limiter, and the two switches, change nothing in it. */
  const others: Readonly<Record<string, number>> = {
    maxAttempts: 2,
    "delayProvider.initialDelay": 1000,
    "delayProvider.scaleFactor": 3,
    "delayProvider.jitter": 0,
    "delayProvider.maxBackoff": 5,
    "delayProvider.throttlingBaseDelay": 100,
    "delayProvider.retryAfterMaxOvershoot": 1000,
    "tokenBucket.maxCapacity": 400,
    "tokenBucket.initialTryCost": 2,
    "tokenBucket.initialTrySuccessIncrement": 3,
    "tokenBucket.retryCost": 6,
    "tokenBucket.timeoutRetryCost": 8,
    "tokenBucket.refillUnitsPerSecond": 1
  }

  it.effect.each(Object.entries(others))("%s changes what a strategy does", ([name, value]) =>
    Effect.gen(function* () {
      const changed = settingsOf(
        rows.map((row) => (codeIn(row[0]) === name ? [row[0] ?? "", String(value)] : row)),
        1
      )
      expect(yield* behaviour(changed)).not.toEqual(yield* behaviour(settingsOf(rows, 1)))
    })
  )
})

describe(`${path} ## The quota`, () => {
  const failures = {
    timeout: { name: "RequestTimeout", status: 400 },
    other: { status: 500 },
    throttling: { name: "Throttling", status: 400 }
  }

  it.effect.each(rowsOf(path, "## The quota"))("%s costs what the table says", ([name = "", ...cells]) =>
    Effect.gen(function* () {
      const make = named(AwsQuota, name) as Effect.Effect<TokenBucket.TokenBucket>
      const after = (failure: unknown, last: Effect.Effect<unknown, unknown>) =>
        Effect.gen(function* () {
          const bucket = yield* make
          const full = yield* bucket.level
          // Half of the tokens are gone: what comes in is seen.
          yield* Effect.ignore(
            Retry.retry(Effect.fail(failures.other), { ...AwsRetry.standard, maxAttempts: 2, bucket })
          )
          const before = yield* bucket.level
          let calls = 0
          const call = Effect.suspend(() => (++calls === 1 && failure !== undefined ? Effect.fail(failure) : last))
          yield* Effect.ignore(Retry.retry(call, { ...AwsRetry.standard, maxAttempts: 2, bucket }))
          return { full, change: (yield* bucket.level) - before }
        })
      const lost = (failure: unknown) =>
        Effect.map(after(failure, Effect.fail(failure)), ({ change }) => String(-change + 0))
      const { change, full } = yield* after(undefined, Effect.void)
      const returned = yield* after(failures.other, Effect.void)
      expect([
        String(full),
        yield* lost(failures.timeout),
        yield* lost(failures.other),
        yield* lost(failures.throttling),
        `+${change}`,
        returned.change === 0 ? "what the last retry cost" : ""
      ]).toEqual(cells)
    }).pipe(VirtualClock.run, Effect.provide(SeededRandom.layerConstant(0)))
  )
})

/** What is resolved where one source has a value. */
const resolve = (
  at: { readonly name: string; readonly value: string } | undefined,
  options: AwsConfig.Options = {}
) => {
  const isKey = at !== undefined && /^[a-z]+_/.test(at.name)
  const files = FileSystem.layerNoop({
    readFileString: () => Effect.succeed(isKey ? `[default]\n${at.name} = ${at.value}` : "")
  })
  const provided = new Map(at === undefined || isKey ? [] : [[at.name, at.value]])
  return AwsConfig.resolve(options).pipe(
    Effect.provide(Layer.merge(files, Path.layer)),
    Effect.withConfigProvider(ConfigProvider.fromMap(provided.set("HOME", "/home/ada")))
  )
}

describe(`${path} ## Configuration`, () => {
  const sources = rowsOf(path, "## Configuration")
  const columns = ["mode", "maxAttempts", "behaviour"] as const
  const samples = { mode: "adaptive", maxAttempts: "7", behaviour: "false" }
  const options: Readonly<Record<string, AwsConfig.Options>> = {
    mode: { mode: "adaptive" },
    maxAttempts: { maxAttempts: 7 },
    behaviour: { behaviour: "2.0" },
    "service.mode": { service: { mode: "adaptive" } },
    "service.maxAttempts": { service: { maxAttempts: 7 } }
  }
  const expected = { mode: "adaptive", maxAttempts: 7, behaviour: "2.0" }
  const cells = sources.flatMap(([source = "", ...names]) =>
    columns.flatMap((setting, i) => {
      const name = codeIn(names[i])
      return name === "" ? [] : [{ source, setting, name }]
    })
  )

  it.effect.each(cells)("reads $setting of $source as $name", ({ name, setting, source }) =>
    Effect.gen(function* () {
      const given = options[name]
      if (source === "the SDK's default") {
        const resolved = yield* resolve(undefined)
        expect([String(resolved[setting].value), resolved[setting].source._tag]).toEqual([name, "Default"])
        return
      }
      const resolved = yield* given === undefined
        ? resolve({ name, value: samples[setting] })
        : resolve(undefined, given)
      expect(resolved[setting].value).toBe(expected[setting])
      expect(resolved[setting].source).toMatchObject(given === undefined ? { name } : {})
    })
  )

  it.effect("a source wins over the ones below it", () =>
    Effect.gen(function* () {
      for (const setting of columns) {
        const ofSetting = cells.filter((cell) => cell.setting === setting && cell.source !== "the SDK's default")
        const named = ofSetting.filter(({ name }) => options[name] === undefined)
        for (const [i, { name }] of named.entries()) {
          // Whatever is below has a value that would be refused.
          const bad = named.slice(i + 1).map((cell) => [cell.name, "bad"] as const)
          const keys = bad.filter(([key]) => /^[a-z]+_/.test(key)).map(([key, value]) => `${key} = ${value}`)
          const files = FileSystem.layerNoop({
            readFileString: () => Effect.succeed(["[default]", ...keys, `${name} = ${samples[setting]}`].join("\n"))
          })
          const resolved = yield* AwsConfig.resolve().pipe(
            Effect.provide(Layer.merge(files, Path.layer)),
            Effect.withConfigProvider(
              ConfigProvider.fromMap(new Map([...bad, [name, samples[setting]], ["HOME", "/home/ada"]]))
            )
          )
          expect(resolved[setting].source).toMatchObject({ name })
        }
      }
    })
  )

  it.effect.each(rowsOf(path, "### Bad values"))("refuses of %s %s", ([source = "", value = "", message = ""]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(resolve({ name: codeIn(source), value: codeIn(value) }))
      expect(Sources.messagesOf(error)).toEqual([`AwsConfig.resolve: ${message}`])
    })
  )

  it.effect.each(rowsOf(path, "### Defaults by SDK"))("%s has these defaults", ([name = "", ...cells]) =>
    Effect.gen(function* () {
      const sdk = named(AwsDefaults, name)
      const of = (options: AwsConfig.Options) => resolve(undefined, { ...options, sdk })
      const [old, current] = [yield* of({ behaviour: "2.0" }), yield* of({ behaviour: "2.1" })]
      const legacy = sdk.modes.includes("legacy") ? yield* of({ mode: "legacy" }) : undefined
      const table = yield* of({ behaviour: "2.1", service: sdk.dynamodb })
      expect(cells).toEqual([
        old.mode.value,
        current.mode.value,
        String(legacy?.maxAttempts.value ?? "refused"),
        String(table.maxAttempts.value),
        (yield* of({})).behaviour.value
      ])
    })
  )
})
