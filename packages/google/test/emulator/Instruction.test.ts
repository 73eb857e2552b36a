import { describe, expect, it } from "@effect/vitest"
import { parse, parseLegacy } from "./Instruction.ts"

describe("Instruction.parse", () => {
  it.each([
    { text: "return-503", instruction: { _tag: "ReturnCode", code: 503 } },
    { text: "return-reset-connection", instruction: { _tag: "ResetConnection" } },
    { text: "return-broken-stream", instruction: { _tag: "BrokenStream", bytes: 4, methods: "all" } },
    {
      text: "return-broken-stream-after-256K",
      instruction: { _tag: "BrokenStream", bytes: 262_144, methods: "storage.objects.get" }
    },
    { text: "return-503-after-8192K", instruction: { _tag: "UploadCode", code: 503, bytes: 8_388_608 } },
    { text: "return-broken-stream-final-chunk-after-10B", instruction: { _tag: "ShortFinalAnswer", bytes: 10 } },
    { text: "stall-for-2s-after-100K", instruction: { _tag: "Stall", seconds: 2, bytes: 102_400 } },
    { text: "return-unreachable-buckets-a,b", instruction: { _tag: "UnreachableBuckets", buckets: ["a", "b"] } },
    { text: "apply-then-reset-connection", instruction: { _tag: "ApplyThenReset" } },
    { text: "apply-then-503", instruction: { _tag: "ApplyThenCode", code: 503 } },
    { text: "redirect-send-token-abc", instruction: { _tag: "GrpcOnly" } },
    { text: "redirect-send-handle-and-token-abc", instruction: { _tag: "GrpcOnly" } },
    { text: "redirect-expect-token-abc", instruction: { _tag: "GrpcOnly" } },
    { text: "return-400-if-dp-enforced", instruction: { _tag: "GrpcOnly" } }
  ])("reads $text", ({ instruction, text }) => {
    expect(parse(text)).toEqual(instruction)
  })

  it.each(["", "return", "return-50", "return-503-after-256", "stall-for-2s", "apply-then-nothing", " return-503"])(
    "does not know '%s'",
    (text) => {
      expect(parse(text)).toBeUndefined()
    }
  )
})

describe("Instruction.parseLegacy", () => {
  const [get, insert] = ["storage.objects.get", "storage.objects.insert"]
  const broken = (bytes: number) => ({ _tag: "BrokenStream", bytes, methods: get })

  it.each([
    { text: "return-broken-stream", method: get, first: 0, instruction: broken(1_048_576) },
    { text: "return-corrupted-data", method: get, first: 0, instruction: { _tag: "CorruptData" } },
    { text: "stall-always", method: get, first: 0, instruction: { _tag: "Stall", seconds: 10, bytes: 0 } },
    { text: "stall-at-256KiB", method: get, first: 0, instruction: { _tag: "Stall", seconds: 10, bytes: 262_144 } },
    { text: "return-503-after-256K", method: get, first: 0, instruction: broken(262_144) },
    { text: "return-503-after-256K", method: get, first: 9, instruction: undefined },
    { text: "return-503-after-256K/retry-1", method: get, first: 9, instruction: { _tag: "ReturnCode", code: 503 } },
    { text: "return-503-after-256K/retry-3", method: get, first: 9, instruction: undefined },
    {
      text: "return-503-after-256K",
      method: insert,
      first: 0,
      instruction: { _tag: "UploadCode", code: 503, bytes: 262_144 }
    },
    { text: "return-503", method: get, first: 0, instruction: undefined },
    { text: "toString", method: get, first: 0, instruction: undefined }
  ])("reads $text of $method from byte $first", ({ first, instruction, method, text }) => {
    expect(parseLegacy(text, method, first)).toEqual(instruction)
  })
})
