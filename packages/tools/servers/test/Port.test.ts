import { type AddressInfo, createServer } from "node:net"
import { once } from "node:events"
import { assert, describe, it } from "@effect/vitest"
import * as Port from "@effect-retry/servers/Port"
import { ServerError } from "@effect-retry/servers/ServerError"

const taken = new ServerError({ message: "Could not create server TCP listening socket: bind: Address already in use" })

describe("Port.free", () => {
  it("is a port on which a server can listen, below those of outgoing connections", async () => {
    const port = await Port.free()
    const server = createServer().listen(port, "127.0.0.1")
    await once(server, "listening")
    assert.strictEqual((server.address() as AddressInfo).port, port)
    assert.isBelow(port, 32_768)
    server.close()
  })
})

describe("Port.on", () => {
  it("tries another port when a process has taken the first one", async () => {
    const tried: Array<number> = []
    const { port, started } = await Port.on(undefined, async (port) => {
      tried.push(port)
      if (tried.length < 3) throw taken
      return "started"
    })
    assert.strictEqual(started, "started")
    assert.strictEqual(port, tried[2])
    assert.strictEqual(tried.length, 3)
  })

  it("tries the same port again when it is given", async () => {
    const tried: Array<number> = []
    await Port.on(7, async (port) => {
      tried.push(port)
      if (tried.length < 2) throw taken
    })
    assert.deepStrictEqual(tried, [7, 7])
  })

  it("passes on why a server does not start", async () => {
    const error = new ServerError({ message: "Bad directive" })
    const start = async () => {
      throw error
    }
    assert.strictEqual(await Port.on(undefined, start).catch((thrown: unknown) => thrown), error)
  })
})
