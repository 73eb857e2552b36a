import { describe, expect, it } from "vitest"
import type { Event, Specification } from "./Linearisable.ts"
import { firstUnexplained } from "./Linearisable.ts"

/** Calls of a register: a number is written, "read" answers the last one. */
const register: Specification<number, number | "read"> = {
  apply: (state, call) => (call === "read" ? [String(state), state] : ["", call]),
  keyOf: String
}

const begin = (id: string, call: number | "read"): Event<number | "read"> => ({ _tag: "Begin", id, call })

const end = (id: string, answer = ""): Event<number | "read"> => ({ _tag: "End", id, answer })

const unexplained = (...history: ReadonlyArray<Event<number | "read">>) => firstUnexplained(register, 0, history)

describe("Linearisable.firstUnexplained", () => {
  it("explains calls one after the other by their order alone", () => {
    expect(unexplained(begin("a", 1), end("a"), begin("b", "read"), end("b", "1"))).toBe(undefined)
    expect(unexplained(begin("a", 1), end("a"), begin("b", "read"), end("b", "0"))).toEqual(end("b", "0"))
  })

  it("explains calls at the same time by either order", () => {
    for (const answer of ["0", "1"]) {
      expect(unexplained(begin("a", 1), begin("b", "read"), end("b", answer), end("a"))).toBe(undefined)
      expect(unexplained(begin("b", "read"), begin("a", 1), end("a"), end("b", answer))).toBe(undefined)
    }
    expect(unexplained(begin("a", 1), begin("b", "read"), end("b", "2"), end("a"))).toEqual(end("b", "2"))
  })

  it("gives a call one place only", () => {
    const twoReads = (first: string, second: string) =>
      unexplained(begin("a", 1), begin("b", "read"), end("b", first), begin("c", "read"), end("c", second), end("a"))
    expect(twoReads("0", "1")).toBe(undefined)
    expect(twoReads("1", "1")).toBe(undefined)
    expect(twoReads("1", "0")).toEqual(end("c", "0"))
  })

  it("takes all answers into account, even when each alone has an explanation", () => {
    const written = [begin("a", 1), begin("b", 2), end("a"), end("b")]
    const reads = (first: string, second: string) =>
      unexplained(...written, begin("c", "read"), begin("d", "read"), end("c", first), end("d", second))
    expect(reads("1", "1")).toBe(undefined)
    expect(reads("2", "2")).toBe(undefined)
    expect(reads("1", "2")).toEqual(end("d", "2"))
  })

  it("lets a call without an answer have its effect at any time, or never, but not twice", () => {
    const lost = (...answers: ReadonlyArray<string>) =>
      unexplained(
        begin("lost", 1),
        begin("a", 2),
        end("a"),
        ...answers.flatMap((answer, index) => [begin(`read ${index}`, "read"), end(`read ${index}`, answer)])
      )
    expect(lost("2", "2", "2")).toBe(undefined)
    expect(lost("2", "1", "1")).toBe(undefined)
    expect(lost("2", "1", "2")).toEqual(end("read 2", "2"))
  })
})
