import { InvalidArgument } from "@effect-retry/core"
import * as IoRedis from "@effect-retry/fleet/IoRedis"
import * as NodeRedis from "@effect-retry/fleet/NodeRedis"
import { describe, expect, it } from "@effect/vitest"
import * as RedisUrl from "../../../src/fund/redis/RedisUrl.ts"

const plain = [
  "redis://localhost",
  "rediss://localhost:6380/",
  "redis://:p%40ss@[::1]:6379/3",
  "redis://user:secret@example.com/15"
]

const others = [
  "",
  "secret",
  "http://:secret@localhost",
  "redis://:secret@localhost:99999",
  "redis://:secret@localhost/orders",
  "redis://:secret@localhost/0/1",
  "redis://:secret%@localhost",
  "redis://:secret@localhost/0?enableOfflineQueue=true",
  "redis://:secret@localhost/0#1"
]

describe("the URL of a server", () => {
  it.each(plain)("is taken as it is: %s", (url) => {
    expect(RedisUrl.check("M.f", url)).toBe(url)
  })

  describe.each([
    ["IoRedis.layer", (url: string) => IoRedis.layer({ url })],
    ["NodeRedis.layer", (url: string) => NodeRedis.layer({ url })]
  ])("is refused by %s and not shown", (owner, layer) => {
    it.each(others)("%s", (url) => {
      const error = expect.objectContaining({
        constructor: InvalidArgument.InvalidArgument,
        message: `${owner}: url must be redis[s]://[[username][:password]@][host][:port][/db], without a query, got <redacted>`
      })
      expect(() => layer(url)).toThrow(error)
    })
  })
})
