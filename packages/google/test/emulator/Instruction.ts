/**
 * Instructions of the Retry Test API: how a request is to fail.
 *
 * Source: https://github.com/googleapis/storage-testbench, README.md, "Retry Test API", and testbench/common.py.
 * Two are the emulator's own: `apply-then-reset-connection` and `apply-then-CODE` carry the operation out and lose its
 * answer, which no instruction of the source can say of an answer without a body.
 */

export type Instruction =
  /** Fails before the operation. */
  | { readonly _tag: "ReturnCode"; readonly code: number }
  | { readonly _tag: "ResetConnection" }
  /** Carries the operation out and breaks its answer off. */
  | { readonly _tag: "BrokenStream"; readonly bytes: number; readonly methods: "all" | "storage.objects.get" }
  /** Fails an upload that has got so far. */
  | { readonly _tag: "UploadCode"; readonly code: number; readonly bytes: number }
  /** Breaks off the answer to the request that completes an upload. */
  | { readonly _tag: "ShortFinalAnswer"; readonly bytes: number }
  /** Stops for a time after so many bytes, of the request in an upload and of the answer in others. */
  | { readonly _tag: "Stall"; readonly seconds: number; readonly bytes: number }
  /** Names buckets as out of reach, if a part of the list will do. */
  | { readonly _tag: "UnreachableBuckets"; readonly buckets: ReadonlyArray<string> }
  | { readonly _tag: "ApplyThenReset" }
  | { readonly _tag: "ApplyThenCode"; readonly code: number }
  /** Changes the first byte of an object that is read. */
  | { readonly _tag: "CorruptData" }
  /** Never fires here. */
  | { readonly _tag: "GrpcOnly" }

const kib = 1024

/** Bytes of an answer that is broken off at once. */
const brokenStreamBytes = 4

type Read = (first: string, second: string) => Instruction

const forms: ReadonlyArray<readonly [RegExp, Read]> = [
  [/^return-(\d{3})$/, (code) => ({ _tag: "ReturnCode", code: Number(code) })],
  [/^return-reset-connection$/, () => ({ _tag: "ResetConnection" })],
  [/^return-broken-stream$/, () => ({ _tag: "BrokenStream", bytes: brokenStreamBytes, methods: "all" })],
  [
    /^return-broken-stream-after-(\d+)K$/,
    (size) => ({ _tag: "BrokenStream", bytes: Number(size) * kib, methods: "storage.objects.get" })
  ],
  [
    /^return-(\d{3})-after-(\d+)K$/,
    (code, size) => ({ _tag: "UploadCode", code: Number(code), bytes: Number(size) * kib })
  ],
  [/^return-broken-stream-final-chunk-after-(\d+)B$/, (bytes) => ({ _tag: "ShortFinalAnswer", bytes: Number(bytes) })],
  [
    /^stall-for-(\d+)s-after-(\d+)K$/,
    (seconds, size) => ({ _tag: "Stall", seconds: Number(seconds), bytes: Number(size) * kib })
  ],
  [/^return-unreachable-buckets-(.+)$/, (names) => ({ _tag: "UnreachableBuckets", buckets: names.split(",") })],
  [/^apply-then-reset-connection$/, () => ({ _tag: "ApplyThenReset" })],
  [/^apply-then-(\d{3})$/, (code) => ({ _tag: "ApplyThenCode", code: Number(code) })],
  [/^redirect-(?:send-token|send-handle-and-token|expect-token)-\w+$/, () => ({ _tag: "GrpcOnly" })],
  [/^return-\d{3}-if-dp-enforced$/, () => ({ _tag: "GrpcOnly" })]
]

/** The instruction of a text, or `undefined` if none has it. */
export const parse = (text: string): Instruction | undefined => {
  for (const [form, read] of forms) {
    const [whole, first = "", second = ""] = form.exec(text) ?? []
    if (whole !== undefined) return read(first, second)
  }
  return undefined
}

const legacyForms: Readonly<Record<string, Instruction>> = {
  "return-broken-stream": { _tag: "BrokenStream", bytes: kib * kib, methods: "storage.objects.get" },
  "return-corrupted-data": { _tag: "CorruptData" },
  "stall-always": { _tag: "Stall", seconds: 10, bytes: 0 },
  "stall-at-256KiB": { _tag: "Stall", seconds: 10, bytes: 256 * kib }
}

/**
 * The instruction of the older header `x-goog-emulator-instructions`, which a client sends with the request that is to
 * fail, or `undefined`. `first` is the first byte that the request reads.
 *
 * `return-503-after-256K` breaks off what is read from the beginning and fails an upload; with `/retry-1` or `/retry-2`
 * after it, it also fails what is read from elsewhere.
 */
export const parseLegacy = (text: string, method: string, first: number): Instruction | undefined => {
  const [, retry] = /^return-503-after-256K(?:\/retry-(\d+))?$/.exec(text) ?? [undefined, "none"]
  if (retry === "none") return Object.hasOwn(legacyForms, text) ? legacyForms[text] : undefined
  if (method === "storage.objects.insert") return { _tag: "UploadCode", code: 503, bytes: 256 * kib }
  if (first === 0) return { _tag: "BrokenStream", bytes: 256 * kib, methods: "storage.objects.get" }
  return retry === "1" || retry === "2" ? { _tag: "ReturnCode", code: 503 } : undefined
}
