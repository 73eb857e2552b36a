import { describe, expect, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { withServices } from "../src/Workload.ts"

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
