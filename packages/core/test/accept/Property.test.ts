import * as Property from "@effect-retry/core/unstable/Property"
import * as Untrusted from "@effect-retry/core/unstable/Untrusted"
import { describe, expect, it } from "@effect/vitest"

const revoked = (): unknown => {
  const { proxy, revoke } = Proxy.revocable([], {})
  revoke()
  return proxy
}

const throwing: unknown = new Proxy(
  {},
  {
    get: () => {
      throw new Error("not to be read")
    },
    ownKeys: () => {
      throw new Error("not to be read")
    }
  }
)

describe("Property", () => {
  const values = { none: undefined, null: null, text: "a", number: 7, throwing, revoked: revoked() }
  it.each(Object.keys(values))("reads nothing from what is not an object or cannot be read: %s", (of) => {
    const value = values[of as keyof typeof values]
    expect(Property.property(value, "a")).toBeUndefined()
    expect(Property.text(value, "a")).toBeUndefined()
    expect(Property.at(value, "a", "b")).toBeUndefined()
    expect(Property.called(value, "a", 1)).toBeUndefined()
    expect(Property.keys(value, 9)).toEqual([])
    expect(Property.entries(value)).toEqual([])
    expect(Property.isArray(value)).toBe(false)
    expect(Property.isError(value)).toBe(false)
  })

  it("reads what is there, within bounds", () => {
    const value = { a: { b: "x".repeat(2000) }, list: Array.from({ length: 50 }, (_, i) => i), f: (n: number) => n + 1 }
    expect(Property.at(value, "a", "b")).toHaveLength(2000)
    expect(Property.text(value.a, "b")).toHaveLength(1024)
    expect(Property.keys(value, 2)).toEqual(["a", "list"])
    expect(Property.entries(value.list)).toHaveLength(32)
    expect(Property.listed(value.list)).toHaveLength(32)
    expect([Property.listed("a"), Property.listed(null), Property.listed(revoked())]).toEqual([["a"], [], []])
    expect(Property.called(value, "f", 1)).toBe(2)
  })

  it("follows an error and ten causes", () => {
    let error = new Error("0")
    for (let i = 1; i < 20; i++) error = new Error(String(i), { cause: error })
    expect(Property.causes(error)).toHaveLength(11)
    expect(Property.causes(error, 2)).toHaveLength(3)
    expect(Property.causes("busy")).toEqual([])
  })

  it("finds the original of an error that was shown, even twice or as a cause", () => {
    const cause = new Error("inner")
    const original = new Error("outer", { cause })
    const shown = Untrusted.shown(Untrusted.shown(original))
    expect(Property.original(shown)).toBe(original)
    expect(Property.causes(shown)).toEqual([original, cause])
    expect(Property.causes(new Error("outermost", { cause: shown })).slice(1)).toEqual([original, cause])
    expect(Property.original("busy")).toBe("busy")
  })
})
