import { describe, expect, it } from "@effect/vitest"
import * as ProtobufDuration from "../../src/accept/ProtobufDuration.ts"

// https://protobuf.dev/reference/protobuf/google.protobuf/#duration.
describe("ProtobufDuration.fromJson", () => {
  it.each<[given: unknown, seconds: number, nanos: number]>([
    ["0s", 0, 0],
    ["3s", 3, 0],
    ["3.000000001s", 3, 1],
    ["3.5s", 3, 500_000_000],
    ["315576000000s", ProtobufDuration.mostSeconds, 0]
  ])("reads %s", (given, seconds, nanos) => {
    expect(ProtobufDuration.fromJson(given)).toEqual({ seconds, nanos })
  })

  it.each(["", "3", "s", "-3s", "3.s", ".5s", "3.0000000001s", "3 s", "1e3s", "315576000000.000000001s", 3, null])(
    "refuses %o",
    (given) => {
      expect(ProtobufDuration.fromJson(given)).toBeUndefined()
    }
  )
})
