/**
 * Clients of a real server for tests: the scripts are those of the package, but for how they read the clock.
 */
import type * as RedisClient from "@effect-retry/fleet/RedisClient"
import type { Redis } from "ioredis"
import { createHash } from "node:crypto"
import * as Scripts from "../src/fund/redis/Scripts.ts"

const readsClock = "redis.call('TIME')"

/** Loads the scripts with other texts; answers their digests by those of the package. */
const loaded = async (redis: Redis, rewrite: (lua: string) => string): Promise<ReadonlyMap<string, string>> => {
  const shas = new Map<string, string>()
  for (const { lua, sha } of Object.values(Scripts)) {
    if (lua.split(readsClock).length > 2) throw new Error("a script reads the clock twice")
    const rewritten = rewrite(lua)
    shas.set(sha, createHash("sha1").update(rewritten).digest("hex"))
    await redis.script("LOAD", rewritten)
  }
  return shas
}

/** Clients that tell at what time of the server, in microseconds, each of their scripts ran. A throw loses the answer. */
export const revealingTime = async (redis: Redis) => {
  const shas = await loaded(
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
  return (onTime: (micros: number) => void): RedisClient.RedisClient => ({
    evalsha: async (sha, key, args) => {
      const answered = await redis.evalsha(shas.get(sha) ?? sha, 1, key, ...args)
      const [answer, [seconds, micros]] = answered as [unknown, [string, string]]
      onTime(Number(seconds) * 1_000_000 + Number(micros))
      return answer
    },
    eval: (lua) => Promise.reject(new Error(`not loaded: ${lua}`))
  })
}

const expires = "math.ceil((arrival - now) / 1000)"
const hourMillis = "3600000"

/**
 * Loads scripts that are told the time by two more arguments. Their keys last for an hour of the server, which knows nothing
 * of that time.
 */
export const loadAtTime = (redis: Redis): Promise<ReadonlyMap<string, string>> =>
  loaded(redis, (lua) => {
    if (lua.includes("arrival - now") && !lua.includes(expires)) throw new Error("a key expires in another way")
    return lua.replaceAll(readsClock, "{ARGV[#ARGV - 1], ARGV[#ARGV]}").replaceAll(expires, hourMillis)
  })

/** The arguments that tell it. */
export const timeArgs = (micros: number): ReadonlyArray<string> => [
  String(Math.floor(micros / 1_000_000)),
  String(micros % 1_000_000)
]
