import { describe, expect, it } from "@effect/vitest"
import * as Server from "../../src/load/Server.ts"

describe("Server.arrive", () => {
  const outage = { fromMillis: 1000, toMillis: 2000 }

  it("serves one after the other and stands still during the outage", () => {
    const server = Server.make({ outage, dropAfterMillis: Infinity })
    expect([0, 0, 5, 100, 995, 1500].map((now) => server.arrive(now, 10))).toEqual([10, 20, 25, 10, 1015, 520])
  })

  it("serves what it has done when the outage begins", () => {
    const server = Server.make({ outage, dropAfterMillis: Infinity })
    expect(server.arrive(990, 10)).toBe(10)
  })

  it("takes the time of each request to serve it", () => {
    const server = Server.make({ outage, dropAfterMillis: Infinity })
    expect([10, 0, 300, 1].map((serviceMillis) => server.arrive(0, serviceMillis))).toEqual([10, 10, 310, 311])
    expect(server.arrive(700, 299)).toBe(299)
    expect(server.arrive(999, 2)).toBe(1003)
  })

  it("drops requests whose client would have gone, and wastes no time on them", () => {
    const server = Server.make({ outage, dropAfterMillis: 100 })
    expect([1000, 1899, 1900, 2005].map((now) => server.arrive(now, 10))).toEqual([Infinity, Infinity, 110, 15])
  })
})
