import { Error as Platform, FileSystem, Path } from "@effect/platform"
import { Hint, InvalidArgument, type Policy } from "@effect-retry/core"
import { Plan } from "@effect-retry/plan"
import * as CommandLine from "../../../src/loop/settings/CommandLine.ts"
import { describe, expect, it } from "@effect/vitest"
import { ConfigProvider, Duration, Effect, Layer } from "effect"
import * as Sources from "../../../../core/test/support/Sources.ts"
import { delaysOf, last, same, seconds } from "../../decide/Delays.ts"

interface Row {
  readonly name: string
  readonly preset: Policy.Preset
  readonly attempts: number
  /** The greatest delays in seconds, one for each of the first retries. */
  readonly most: ReadonlyArray<number>
  /** The least. */
  readonly least: ReadonlyArray<number>
  /** All waits together at most, in seconds. */
  readonly waited: number
}

const documentation = "cloud.google.com/storage/docs/gsutil/addlhelp/RetryHandlingStrategy"

describe("CommandLine", () => {
  it.each<Row & { readonly source: string }>([
    {
      name: "gsutil draws from below a bound that doubles up to a minute",
      source: documentation,
      preset: CommandLine.gsutil(),
      attempts: 24,
      least: same(0, 8),
      most: [1, 2, 4, 8, 16, 32, 60, 60],
      waited: 1083
    },
    {
      name: "gsutil, with the maximum of the code",
      source: documentation,
      preset: CommandLine.gsutil({ max_retry_delay: "32 seconds" }),
      attempts: 24,
      least: same(0, 8),
      most: [1, 2, 4, 8, 16, 32, 32, 32],
      waited: 607
    },
    {
      name: "gsutilTransfers draws from below a bound that begins with two seconds",
      source: "GoogleCloudPlatform/gsutil cdd4555, gslib/boto_resumable_upload.py",
      preset: CommandLine.gsutilTransfers(),
      attempts: 24,
      least: same(0, 7),
      most: [2, 4, 8, 16, 32, 32, 32],
      waited: 638
    },
    {
      name: "gsutilRequests counts its retries as attempts",
      source: "GoogleCloudPlatform/gsutil cdd4555, gslib/gcs_json_api.py; google/apitools f86cb9d, http_wrapper.py",
      preset: CommandLine.gsutilRequests(),
      attempts: 23,
      least: [1.5, 3, 6, 12, 24, 32, 32],
      most: [2.5, 5, 10, 20, 32, 32, 32],
      waited: 613.5
    },
    {
      name: "gsutil takes other settings",
      source: documentation,
      preset: CommandLine.gsutil({ num_retries: 3, max_retry_delay: "2 seconds" }),
      attempts: 4,
      least: same(0, 3),
      most: [1, 2, 2],
      waited: 5
    },
    {
      name: "gsutilTransfers without retries makes one attempt",
      source: "GoogleCloudPlatform/gsutil cdd4555, gslib/boto_translation.py",
      preset: CommandLine.gsutilTransfers({ num_retries: 0 }),
      attempts: 1,
      least: [],
      most: [],
      waited: 0
    },
    {
      name: "gsutilRequests without retries makes one attempt",
      source: "google/apitools f86cb9d, http_wrapper.py",
      preset: CommandLine.gsutilRequests({ num_retries: 0 }),
      attempts: 1,
      least: [],
      most: [],
      waited: 0
    },
    {
      name: "gcloud adds up to a second, up to its maximum",
      source:
        "cloud.google.com/storage/docs/retry-strategy, Command line; Google Cloud SDK 578.0.0, core/util/retry.py",
      preset: CommandLine.gcloud,
      attempts: 33,
      least: [1, 2, 4, 8, 16, 32, 32],
      most: [2, 3, 5, 9, 17, 32, 32],
      // 36 and 27 times 32
      waited: 900
    },
    {
      // Contradiction of the source: it calls its 7 a number of retries, and its loop ends with the seventh attempt.
      name: "apitools takes a quarter more or less, and counts its retries as attempts",
      source: "google/apitools f86cb9d, http_wrapper.py, the code of MakeRequest",
      preset: CommandLine.apitools,
      attempts: 7,
      least: [1.5, 3, 6, 12, 24, 48],
      most: [2.5, 5, 10, 20, 40, 60],
      waited: 137.5
    },
    {
      name: "apitools, with as many retries as its documentation says",
      source: "google/apitools f86cb9d, http_wrapper.py, the documentation of MakeRequest",
      preset: { ...CommandLine.apitools, maxAttempts: 8 },
      attempts: 8,
      least: [1.5, 3, 6, 12, 24, 48, 60],
      most: [2.5, 5, 10, 20, 40, 60, 60],
      waited: 197.5
    }
  ])("$name ($source)", ({ attempts, least, most, preset, waited }) => {
    expect(preset.maxAttempts).toBe(attempts)
    expect(delaysOf(preset.backoff, same(0, least.length))).toEqual(seconds(...least))
    expect(delaysOf(preset.backoff, same(last, most.length))).toEqual(seconds(...most))
    expect(Duration.toSeconds(Plan.explain({ ...preset, hint: Hint.ignore }, { rows: 40 }).worst.waited)).toBe(waited)
  })

  it.each([
    [
      () => CommandLine.gsutil({ num_retries: -1 }),
      "CommandLine.gsutil: num_retries must be a whole number >= 0, got -1"
    ],
    [
      () => CommandLine.gsutilTransfers({ num_retries: 1.5 }),
      "CommandLine.gsutilTransfers: num_retries must be a whole number >= 0, got 1.5"
    ],
    [
      () => CommandLine.gsutilRequests({ max_retry_delay: 999 }),
      "CommandLine.gsutilRequests: max_retry_delay must be a finite duration >= 1s, got 999"
    ],
    [() => CommandLine.gsutil(null as never), "CommandLine.gsutil: settings must be a record of settings, got null"],
    [() => CommandLine.fromBoto(1 as never), "CommandLine.fromBoto: text must be a text, got 1"]
  ])("refuses bad settings", (make, message) => {
    expect(make).toThrow(InvalidArgument.InvalidArgument)
    expect(make).toThrow(message)
  })
})

const read = (text: string) =>
  Effect.match(CommandLine.fromBoto(text), {
    onFailure: (error) => Sources.refusals(error, "Boto").join("\n"),
    onSuccess: ({ max_retry_delay, num_retries }) => [
      num_retries,
      max_retry_delay === undefined ? undefined : Duration.toSeconds(max_retry_delay)
    ]
  })

const retriesAllowed = 'num_retries of section "Boto" in ".boto" must be a whole number >= 0 and <= 2147483647'
const delayAllowed = 'max_retry_delay of section "Boto" in ".boto" must be a whole number >= 1 and <= 2147483647'

describe("CommandLine and hints", () => {
  it("waits as a server asks if apitools does", () => {
    const followed = Hint.override({ atMost: "1 minute", otherwise: "giveUp" })
    expect([CommandLine.apitools.hint, CommandLine.gsutilRequests().hint]).toEqual([followed, followed])
    for (const { hint } of [CommandLine.gcloud, CommandLine.gsutil(), CommandLine.gsutilTransfers()]) {
      expect(hint).toBe(Hint.ignore)
    }
  })
})

describe("CommandLine.fromBoto", () => {
  it.effect.each([
    { name: "both", text: "[Boto]\nnum_retries = 10\nmax_retry_delay = 20\n", expected: [10, 20] },
    { name: "one", text: "[Boto]\nmax_retry_delay=1", expected: [undefined, 1] },
    {
      name: "none",
      text: "[Boto]\n#num_retries = <integer value>\n; max_retry_delay = 3\n",
      expected: [undefined, undefined]
    },
    { name: "an empty text", text: "", expected: [undefined, undefined] },
    {
      name: "other sections",
      text: "[GSUtil]\nnum_retries = 10\n[boto]\nnum_retries = 9\n",
      expected: [undefined, undefined]
    },
    { name: "letters of either case", text: "[Boto]\nNUM_Retries = 10", expected: [10, undefined] },
    { name: "a colon", text: "[Boto]\nnum_retries: 10\nmax_retry_delay : 5", expected: [10, 5] },
    { name: "lines of Windows", text: "[Boto]\r\nnum_retries = 10\r\n", expected: [10, undefined] },
    { name: "a comment behind a value", text: "[Boto]\nnum_retries = 10 ; enough\n", expected: [10, undefined] },
    { name: "the last of two", text: "[Boto]\nnum_retries = 10\nnum_retries = 11\n", expected: [11, undefined] },
    { name: "a section twice", text: "[Boto]\nnum_retries = 10\n[Boto]\nmax_retry_delay = 2\n", expected: [10, 2] },
    { name: "no retries at all", text: "[Boto]\nnum_retries = 0", expected: [0, undefined] },
    {
      name: "the defaults of all sections",
      text: "[DEFAULT]\nnum_retries = 4\nmax_retry_delay = 7\n[Boto]\nnum_retries = 5\n",
      expected: [5, 7]
    },
    { name: "defaults without the section", text: "[DEFAULT]\nnum_retries = 4\n", expected: [undefined, undefined] },
    {
      name: "a key called like a member of every object",
      text: "[Boto]\nconstructor = 1\n__proto__ = 2",
      expected: [undefined, undefined]
    }
  ])("reads $name", ({ expected, text }) =>
    Effect.gen(function* () {
      expect(yield* read(text)).toEqual(expected)
    })
  )

  it.effect.each(
    ["", "-1", "1.5", "ten", "1e3", "0x10", "+5", "2147483648", "99999999999", "true", "null", "[]", "1 2", "10s"].map(
      (value) => ({ value })
    )
  )("refuses $value as a number of retries", ({ value }) =>
    Effect.gen(function* () {
      const text = yield* read(`[Boto]\nnum_retries = ${value}\n`)
      expect(text).toBe(`num_retries: CommandLine.fromBoto: ${retriesAllowed}`)
    })
  )

  it.effect("refuses a maximum of no time, and a key without a value", () =>
    Effect.gen(function* () {
      expect(yield* read("[Boto]\nmax_retry_delay = 0")).toContain(delayAllowed)
      expect(yield* read("[Boto]\nmax_retry_delay")).toContain(delayAllowed)
    })
  )

  it.effect("names every bad value, and shows none", () =>
    Effect.gen(function* () {
      const secret = "gs_secret_access_key_6kQ"
      const text = yield* read(`[Boto]\nnum_retries = ${secret}\nmax_retry_delay = ${secret}\nproxy_pass = ${secret}\n`)
      expect(text).toContain(retriesAllowed)
      expect(text).toContain(delayAllowed)
      expect(text).not.toContain(secret)
    })
  )

  it.effect.each([
    {
      name: "a text of more than a million characters",
      text: " ".repeat(1_048_577),
      why: "at most 1048576 characters"
    },
    {
      name: "a list in the place of a number",
      text: "[Boto]\nnum_retries[] = 1\nnum_retries[] = 2",
      why: retriesAllowed
    },
    { name: "a section in the place of a number", text: "[Boto]\n[Boto.num_retries]\nx = 1", why: retriesAllowed }
  ])("refuses $name", ({ text, why }) =>
    Effect.gen(function* () {
      expect(yield* read(text)).toContain(why)
    })
  )

  it.effect("reads nothing when the section's name is a key before all sections", () =>
    Effect.gen(function* () {
      expect(yield* read("Boto = 1\n[Boto]\nnum_retries = 10\n")).toEqual([undefined, undefined])
    })
  )
})

const failed = (path: string, reason: "NotFound" | "PermissionDenied") =>
  new Platform.SystemError({ reason, module: "FileSystem", method: "readFileString", pathOrDescriptor: path })

const found = (files: Readonly<Record<string, string | undefined>>, environment: Readonly<Record<string, string>>) => {
  const paths: Array<string> = []
  const disk = FileSystem.layerNoop({
    readFileString: (path) =>
      Effect.suspend(() => {
        paths.push(path)
        if (!Object.hasOwn(files, path)) return Effect.fail(failed(path, "NotFound"))
        const text = files[path]
        return text === undefined ? Effect.fail(failed(path, "PermissionDenied")) : Effect.succeed(text)
      })
  })
  return Effect.map(
    Effect.match(CommandLine.botoFiles, { onFailure: String, onSuccess: ({ num_retries }) => num_retries }),
    (retries) => ({ retries, paths })
  ).pipe(
    Effect.provide(Layer.merge(disk, Path.layer)),
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(environment))))
  )
}

const own = "/home/ada/.boto"
const retries = (count: number) => `[Boto]\nnum_retries = ${count}\n`

describe("CommandLine.botoFiles", () => {
  it.effect.each([
    {
      name: "the file of the system and then that of the user",
      files: { "/etc/boto.cfg": retries(1), [own]: retries(2) },
      environment: { HOME: "/home/ada" },
      expected: { retries: 2, paths: ["/etc/boto.cfg", own] }
    },
    {
      name: "what only the file of the system has",
      files: { "/etc/boto.cfg": retries(1), [own]: "[Boto]\nmax_retry_delay = 3" },
      environment: { USERPROFILE: "/home/ada" },
      expected: { retries: 1, paths: ["/etc/boto.cfg", own] }
    },
    {
      name: "nothing where no file exists",
      files: {},
      environment: {},
      expected: { retries: undefined, paths: ["/etc/boto.cfg"] }
    },
    {
      name: "BOTO_CONFIG alone",
      files: { "/etc/boto.cfg": retries(1), "/home/ada/mine": retries(3) },
      environment: { HOME: "/home/ada", BOTO_CONFIG: "~/mine", BOTO_PATH: "/etc/boto.cfg" },
      expected: { retries: 3, paths: ["/home/ada/mine"] }
    },
    {
      name: "all files of BOTO_PATH",
      files: { "/a": retries(4), "/b": retries(5), [own]: retries(2) },
      environment: { HOME: "/home/ada", BOTO_PATH: "/a:/b::/c" },
      expected: { retries: 5, paths: ["/a", "/b", "/c"] }
    }
  ])("reads $name", ({ environment, expected, files }) =>
    Effect.gen(function* () {
      expect(yield* found(files, environment)).toEqual(expected)
    })
  )

  it.effect("fails when a file cannot be read, and names a bad value with its file", () =>
    Effect.gen(function* () {
      const denied = yield* found({ [own]: undefined }, { HOME: "/home/ada" })
      expect(denied.retries).toContain(`CommandLine.botoFiles: the file "${own}" cannot be read: PermissionDenied`)
      const bad = yield* found({ [own]: "[Boto]\nnum_retries = few\n" }, { HOME: "/home/ada" })
      expect(bad.retries).toContain(`num_retries of section "Boto" in "${own}" must be a whole number`)
    })
  )
})
