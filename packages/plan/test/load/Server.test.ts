import { describe, expect, it } from "@effect/vitest"
import * as Server from "../../src/load/Server.ts"

describe("Server.arrive", () => {
  const stall = { fromMillis: 1000, toMillis: 2000 }

  it("serves one after the other and stands still during the stall", () => {
    const server = Server.make({ serviceMillis: 10, stall, dropAfterMillis: Infinity })
    expect([0, 0, 5, 100, 995, 1500].map(server.arrive)).toEqual([10, 20, 25, 10, 1015, 520])
  })

  it("drops what would be served after its client has gone, and wastes no time on it", () => {
    const server = Server.make({ serviceMillis: 10, stall, dropAfterMillis: 100 })
    expect([1000, 1899, 1900, 2005].map(server.arrive)).toEqual([Infinity, Infinity, 110, 15])
  })
})
