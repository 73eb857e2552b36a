import type { Policy } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"
import { describe, expect, it } from "@effect/vitest"
import { Struct } from "effect"
import * as StorageIdempotency from "../../../src/decide/StorageIdempotency.ts"
import * as Presets from "../../../src/loop/settings/Presets.ts"
import * as StoragePresets from "../../../src/loop/storage/StoragePresets.ts"
import { moment, retried } from "../Predicates.ts"

const common = [408, 429, 500, 502, 503, 504]

interface Row {
  readonly name: keyof typeof StoragePresets
  readonly preset: StoragePresets.StoragePreset<unknown>
  readonly numbers: Policy.Preset<unknown>
  readonly statuses: ReadonlyArray<number>
  /** Whether it repeats an upload without a precondition, the deletion of a bucket, and an update of a key by its etag. */
  readonly repeats: readonly [insert: boolean, remove: boolean, update: boolean]
  readonly source: string
}

const rows: ReadonlyArray<Row> = [
  {
    name: "java",
    preset: StoragePresets.java,
    numbers: Presets.javaHttp,
    statuses: common,
    repeats: [false, true, false],
    source: "googleapis/java-storage 679cddd"
  },
  {
    name: "python",
    preset: StoragePresets.python,
    numbers: Presets.python,
    statuses: common,
    repeats: [true, true, true],
    source: "googleapis/python-storage ab4997c"
  },
  {
    name: "go",
    preset: StoragePresets.go,
    numbers: Presets.go,
    statuses: [408, 429, 500, 501, 502, 503, 504, 505, 599],
    repeats: [false, true, true],
    source: "googleapis/google-cloud-go, storage/invoke.go"
  },
  {
    name: "node",
    preset: StoragePresets.node,
    numbers: Presets.nodeStorage,
    statuses: common,
    repeats: [false, true, false],
    source: "googleapis/nodejs-storage 7.22.0"
  },
  {
    name: "cpp",
    preset: StoragePresets.cpp,
    numbers: Presets.cppStorage,
    statuses: common,
    repeats: [true, true, true],
    source: "cloud.google.com/cpp/docs/reference/storage, storage-retry-examples"
  },
  {
    name: "dotnet",
    preset: StoragePresets.dotnet,
    numbers: Presets.dotnetStorage,
    statuses: common,
    repeats: [false, true, true],
    source: "googleapis/google-cloud-dotnet, RetryHandler.cs"
  }
]

const reset = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" })

describe("StoragePresets", () => {
  it("has every preset in this table", () => {
    expect(rows.map(({ name }) => name).toSorted()).toEqual(Object.keys(StoragePresets).toSorted())
  })

  it.each(rows)("$name retries what the library does ($source)", ({ numbers, preset, repeats, statuses }) => {
    expect(Struct.omit(preset, "classifier", "idempotency")).toEqual(numbers)
    expect(retried(preset.classifier)).toEqual(statuses)
    expect(preset.classifier(reset, moment)._tag).toBe("Retryable")
    const decisions = [
      { operation: "objects.insert" },
      { operation: "buckets.delete" },
      { operation: "hmacKey.update", preconditions: ["etag"] }
    ] as const
    const decided = decisions.map((call) => StorageIdempotency.decide(preset.idempotency, call)._tag === "Repeatable")
    expect(decided).toEqual(repeats)
  })

  it.each(rows)("$name is a policy of a client, to be changed by spread", ({ preset }) => {
    const policy = { ...preset, maxAttempts: 2 }
    expect(HttpRetry.make(policy)).toBe(policy)
  })

  it("java retries its reasons whatever the status, and no other library does", () => {
    const failure = { status: 400, errors: [{ reason: "internalError" }] }
    const judged = rows.filter(({ preset }) => preset.classifier(failure, moment)._tag === "Retryable")
    expect(judged.map(({ name }) => name)).toEqual(["java"])
  })
})
