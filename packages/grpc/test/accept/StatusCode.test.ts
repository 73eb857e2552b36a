import { StatusCode } from "@effect-retry/grpc"
import { describe, expect, it } from "@effect/vitest"

describe("StatusCode", () => {
  it.each(StatusCode.names.map((name, number) => ({ name, number })))("knows $name by name and number", (code) => {
    expect([StatusCode.fromNumber(code.number), StatusCode.toNumber(code.name)]).toEqual([code.name, code.number])
    expect(StatusCode.fromName(code.name.toLowerCase())).toBe(code.name)
  })

  it.each([-1, 17, 1.5, Number.NaN])("knows no code of %d", (number) => {
    expect(StatusCode.fromNumber(number)).toBeUndefined()
  })

  it.each(["", "OKAY", "toString", "constructor"])("knows no code named %s", (name) => {
    expect(StatusCode.fromName(name)).toBeUndefined()
  })
})
