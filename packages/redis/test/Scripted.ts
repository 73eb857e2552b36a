/**
 * Clients of a real server for tests: the scripts are those of the package, but for how they read the clock.
 */
import type { RedisClient } from "@effect-retry/redis"
import type { Redis } from "ioredis"
import { createHash } from "node:crypto"
import * as Scripts from "../src/fund/Scripts.ts"

const readsClock = "redis.call('TIME')"

/** Loads the scripts with other texts. A client of them hands what they answer on by `read`. */
const rewriting = async (redis: Redis, rewrite: (lua: string) => string) => {
  const shas = new Map<string, string>()
  for (const { lua, sha } of Object.values(Scripts)) {
    const rewritten = rewrite(lua)
    if (lua.includes("TIME") && rewritten.split(readsClock).length > 2)
      throw new Error("a script reads the clock twice")
    shas.set(sha, createHash("sha1").update(rewritten).digest("hex"))
    await redis.script("LOAD", rewritten)
  }
  return (read: (answer: unknown) => unknown): RedisClient.RedisClient => ({
    evalsha: async (sha, key, args) => read(await redis.evalsha(shas.get(sha) ?? sha, 1, key, ...args)),
    eval: (lua) => Promise.reject(new Error(`not loaded: ${lua}`))
  })
}

/** Clients that tell at what time of the server, in microseconds, each of their scripts ran. A throw loses the answer. */
export const revealingTime = async (redis: Redis) => {
  const clientOf = await rewriting(
    redis,
    (lua) => `
local read
local function time()
  read = redis.call('TIME')
  return read
end
local function run()
${lua.replaceAll(readsClock, "time()")}
end
local answer = run()
return {answer, read}`
  )
  return (onTime: (micros: number) => void): RedisClient.RedisClient =>
    clientOf((answered) => {
      const [answer, [seconds, micros]] = answered as [unknown, [string, string]]
      onTime(Number(seconds) * 1_000_000 + Number(micros))
      return answer
    })
}
