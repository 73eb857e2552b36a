import { once } from "node:events"
import * as Net from "node:net"
import { describe, expect, it } from "vitest"
import * as Ports from "../src/Ports.ts"

/** The code of the error that a connection to a port ends with. */
const codeOf = async (port: number): Promise<unknown> => {
  const [error] = await once(Net.connect({ host: "127.0.0.1", port }), "error")
  return error.code
}

describe("Ports.make", () => {
  it("has ports that refuse connections, and counts these", async () => {
    const ports = await Ports.make(2)
    const [one, other] = [ports.next(), ports.next()]
    expect(await Promise.all([codeOf(one), codeOf(one)])).toEqual(["ECONNREFUSED", "ECONNREFUSED"])
    expect([ports.tried(one), ports.tried(other)]).toEqual([2, 0])
    expect(ports.next).toThrow("there are only 2 ports")
    ports.close()
  })
})
