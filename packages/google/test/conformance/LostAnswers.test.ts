/**
 * Answers that are lost when the operation has been carried out: what the server has in the end.
 */
import { StorageIdempotency, StorageRetry } from "@effect-retry/google"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Emulator } from "../emulator/Emulator.ts"
import { library, policy } from "./Library.ts"
import { run } from "./OnEmulator.ts"
import * as Run from "./Run.ts"

/** What operations create, and how much of it has ever been there. */
const created = {
  generation: ({ state }: Emulator) => state.written.length,
  notification: ({ state }: Emulator) =>
    [...state.buckets.values()].reduce((sum, { notifications }) => sum + notifications.size, 0),
  key: ({ state }: Emulator) => state.hmacKeys.size,
  bucket: ({ state }: Emulator) => state.buckets.size
}

interface Row {
  readonly creates: keyof typeof created
  readonly method: string
  readonly form?: string
  readonly precondition: boolean
  /** The set-up creates one as well. */
  readonly copies?: boolean
  readonly faults?: ReadonlyArray<string>
}

/** The last one breaks off the first answer that has a body. */
const faults = ["apply-then-reset-connection", "apply-then-503", "return-broken-stream"]

const insert = { creates: "generation", method: "storage.objects.insert", precondition: true } as const
const cutEnds = ["return-broken-stream-final-chunk-after-10B", "return-broken-stream-final-chunk-after-0B"]

const rows: ReadonlyArray<Row> = [
  { ...insert, form: "media" },
  { ...insert, form: "multipart" },
  { ...insert, form: "resumable" },
  { ...insert, form: "resumable upload", faults: [...faults, ...cutEnds] },
  { ...insert, method: "storage.objects.copy", copies: true },
  { ...insert, method: "storage.objects.rewrite", copies: true },
  { ...insert, method: "storage.objects.compose", copies: true },
  { creates: "bucket", method: "storage.buckets.insert", precondition: false }
]

/** Not repeated, as a repetition creates another one. */
const unprotected: ReadonlyArray<Row> = [
  { ...insert, form: "media", precondition: false },
  { ...insert, form: "multipart", precondition: false },
  { ...insert, method: "storage.objects.copy", precondition: false, copies: true },
  { creates: "notification", method: "storage.notifications.insert", precondition: false },
  { creates: "key", method: "storage.hmacKey.create", precondition: false }
]

/** What calls of a row have created, fault by fault. */
const createdBy = (under: Run.Library, { copies = false, creates, form = "", method, precondition, ...row }: Row) => {
  const found = Run.combinations(under).find(({ call }) => call.method === method && call.form === form)
  if (found === undefined) return Effect.dieMessage(`${method} has no form ${form}`)
  const scenario = { ...found.scenario, precondition, expects: "success" as const }
  return Effect.forEach(row.faults ?? faults, (fault) =>
    Effect.map(run([{ ...found, scenario, instructions: [fault] }]), ({ emulator, results }) => ({
      fault,
      met: results.every(({ completed }) => completed),
      created: created[creates](emulator) - (copies ? 1 : 0)
    }))
  )
}

const each = ({ faults: own = faults }: Row, count: number) =>
  own.map((fault) => ({ fault, met: true, created: count }))

const named = (rows: ReadonlyArray<Row>) =>
  rows.map((row) => ({
    ...row,
    call: [row.method.replace("storage.", ""), row.form, ...(row.precondition ? ["conditional"] : [])].join(" ")
  }))

describe("StorageRetry.withRetry", () => {
  it.live.each(named([...rows, ...unprotected]))("creates one $creates by $call", (row) =>
    Effect.map(createdBy(library, row), (left) => expect(left).toEqual(each(row, 1)))
  )

  // A broken body is not repeated: the attempt was over when its headers were in.
  const lost = named(unprotected).map((row) => ({ ...row, faults: faults.slice(0, 2) }))

  it.live.each(lost)("creates another $creates by $call, if it repeats everything", (row) => {
    const idempotency = StorageIdempotency.always
    const under = { ...library, retrying: StorageRetry.withRetry({ ...policy, idempotency }) }
    return Effect.map(createdBy(under, row), (left) => expect(left).toEqual(each(row, 2)))
  })
})
