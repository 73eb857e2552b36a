import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { once } from "node:events"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Proxy from "@effect-retry/servers/Proxy"

/** A server that answers what it is sent in capitals, and keeps what it was sent. */
const capitals = Effect.acquireRelease(
  Effect.promise(async () => {
    const received: Array<string> = []
    const server = createServer((socket) => {
      socket.on("error", () => {})
      socket.on("data", (chunk) => {
        received.push(`${chunk}`)
        socket.write(`${chunk}`.toUpperCase())
      })
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    return { server, received, host: "127.0.0.1", port: (server.address() as AddressInfo).port }
  }),
  ({ server }) => Effect.sync(() => void server.close())
)

const connectTo = (proxy: Proxy.Proxy) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const socket = connect(proxy)
      await once(socket, "connect")
      socket.on("error", () => {})
      return socket
    }),
    (socket) => Effect.sync(() => void socket.destroy())
  )

const answer = (socket: Socket) => Effect.promise(async () => `${(await once(socket, "data"))[0]}`)
const closed = (socket: Socket) =>
  Effect.promise(async () => {
    if (!socket.closed) await new Promise((resolve) => socket.once("close", resolve))
  })

/** Two timers: what has been written is read between them, also where the machine stalls. */
const turns = Effect.promise(async () => {
  await sleep(10)
  await sleep(10)
})

const setUp = Effect.gen(function* () {
  const server = yield* capitals
  const proxy = yield* Proxy.start(server)
  const socket = yield* connectTo(proxy)
  socket.write("one")
  assert.strictEqual(yield* answer(socket), "ONE")
  return { received: server.received, proxy, socket }
})

describe("Proxy.start", () => {
  it.scoped("forwards until the scope ends", () =>
    Effect.gen(function* () {
      const server = yield* capitals
      const socket = yield* Effect.scoped(
        Effect.gen(function* () {
          const proxy = yield* Proxy.start(server)
          const socket = yield* Effect.promise(async () => connect(proxy))
          socket.on("error", () => {})
          socket.write("one")
          assert.strictEqual(yield* answer(socket), "ONE")
          assert.strictEqual(proxy.connections(), 1)
          return socket
        })
      )
      yield* closed(socket)
    })
  )

  it.scoped("ends the connection of the server when the client has ended its own, and delivers the rest", () =>
    Effect.gen(function* () {
      const { proxy, socket, received } = yield* setUp
      socket.end("two")
      assert.strictEqual(yield* answer(socket), "TWO")
      yield* closed(socket)
      assert.deepStrictEqual(received, ["one", "two"])
      while (proxy.connections() > 0) yield* turns
    })
  )

  it.scoped("closes the connection of a client when the server is down", () =>
    Effect.gen(function* () {
      const { port } = yield* Effect.scoped(capitals)
      const socket = yield* connectTo(yield* Proxy.start({ host: "127.0.0.1", port }))
      yield* closed(socket)
    })
  )
})

describe("Proxy.delay", () => {
  it.scoped("delays in both directions and keeps the order when the delay changes", () =>
    Effect.gen(function* () {
      const { proxy, socket } = yield* setUp
      let text = ""
      socket.on("data", (chunk) => {
        text += `${chunk}`
      })
      const startedAt = performance.now()
      yield* proxy.delay(50)
      socket.write("two")
      yield* turns
      yield* proxy.forward
      socket.write("three")
      while (text.length < "TWOTHREE".length) yield* turns
      assert.strictEqual(text, "TWOTHREE")
      assert.isAtLeast(performance.now() - startedAt, 49)
    })
  )
})

describe("Proxy.hold", () => {
  it.scoped("delivers everything afterwards, even of connections made meanwhile", () =>
    Effect.gen(function* () {
      const { proxy, received, socket } = yield* setUp
      yield* proxy.hold
      const other = yield* connectTo(proxy)
      socket.write("two")
      other.write("three")
      yield* turns
      assert.deepStrictEqual(received, ["one"])
      yield* proxy.forward
      assert.deepStrictEqual(yield* Effect.all([answer(socket), answer(other)], { concurrency: 2 }), ["TWO", "THREE"])
    })
  )
})

describe("Proxy.swallow", () => {
  it.scoped("loses everything, and cuts afterwards the connections that lost something", () =>
    Effect.gen(function* () {
      const { proxy, received, socket } = yield* setUp
      const other = yield* connectTo(proxy)
      yield* proxy.swallow
      socket.write("two")
      yield* turns
      const end = yield* Effect.fork(closed(socket))
      yield* Effect.yieldNow()
      yield* proxy.forward
      yield* end
      other.write("three")
      assert.strictEqual(yield* answer(other), "THREE")
      assert.deepStrictEqual(received, ["one", "three"])
    })
  )
})

describe("Proxy.swallowAnswers", () => {
  it.scoped("lets the server do what it is asked", () =>
    Effect.gen(function* () {
      const { proxy, received, socket } = yield* setUp
      yield* proxy.swallowAnswers
      const answers: Array<string> = []
      socket.on("data", (chunk) => answers.push(`${chunk}`))
      socket.write("two")
      while (received.length < 2) yield* turns
      yield* turns
      assert.deepStrictEqual(answers, [])
    })
  )
})

describe("Proxy.cut", () => {
  it.scoped("resets open connections and accepts new ones", () =>
    Effect.gen(function* () {
      const { proxy, socket } = yield* setUp
      const end = yield* Effect.fork(closed(socket))
      yield* Effect.yieldNow()
      yield* proxy.cut
      yield* end
      const other = yield* connectTo(proxy)
      other.write("two")
      assert.strictEqual(yield* answer(other), "TWO")
    })
  )
})
