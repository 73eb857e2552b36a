import { describe, expect, it } from "vitest"
import { answers } from "../src/playground/Answers.ts"
import { initial } from "../src/playground/Settings.ts"

describe("Answers.answers", () => {
  it("are the quick ones first, and a load that gets finer", async () => {
    const settings = { ...initial, outage: 200, clients: 10, load: 0.05 }
    const found: Array<string> = []
    for await (const answer of answers({ _tag: "Show", settings })) {
      found.push(answer._tag === "Load" ? `Load ${answer.isLast ? "at last" : "at first"}` : answer._tag)
    }
    expect(found).toEqual([
      "Operations",
      "Delays",
      "Load at first",
      "Guard",
      "Other",
      "Summary",
      "Storm",
      "Load at first",
      "Load at last"
    ])
  })

  it("say what the packages refuse", async () => {
    const refused = { ...initial, deadline: "truncate", deadlineWithin: 5000, deadlineReserve: 9000 } as const
    const found = []
    for await (const answer of answers({ _tag: "Show", settings: refused })) found.push(answer)
    expect(found).toMatchObject([{ _tag: "Refused" }])
  })
})
