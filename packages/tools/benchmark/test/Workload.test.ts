import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Layer, ManagedRuntime } from "effect"
import { insideFiberOf, prepared, withServices } from "../src/Workload.ts"

class Greeting extends Context.Tag("Greeting")<Greeting, string>() {}

describe("Workload.withServices", () => {
  it("runs the effect again and again, with the services, and answers with a time", async () => {
    const heard: Array<string> = []
    const sample = withServices(Context.make(Greeting, "hello"), () =>
      Effect.map(Greeting, (greeting) => {
        if (heard.length < 2) heard.push(greeting)
      })
    )
    expect(await sample()).toBeGreaterThan(0)
    expect(heard).toEqual(["hello", "hello"])
  })
})

describe("Workload.prepared", () => {
  it("makes the sample when it is first asked for, and only once", async () => {
    const made: Array<string> = []
    const sample = prepared(async () => {
      made.push("made")
      return () => made.push("taken")
    })
    expect(made).toEqual([])
    expect([await sample(), await sample()]).toEqual([2, 3])
    expect(made).toEqual(["made", "taken", "taken"])
  })
})

describe("Workload.insideFiberOf", () => {
  it("runs an effect that waits again and again, with the services of the runtime", async () => {
    const heard: Array<string> = []
    const edge = ManagedRuntime.make(Layer.succeed(Greeting, "hello"))
    const waiting = Effect.flatMap(Greeting, (greeting) =>
      Effect.promise(async () => {
        if (heard.length < 2) heard.push(greeting)
      })
    )
    expect(await insideFiberOf(edge, waiting, { warmUpMillis: 1, sampleMillis: 1, times: 1 })()).toBeGreaterThan(0)
    expect(heard).toEqual(["hello", "hello"])
  })
})
