import * as Redis from "@effect-retry/servers/Redis"
import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck } from "effect"
import { createHash } from "node:crypto"
import * as Arrival from "../../decide/Arrival.ts"
import * as Scripts from "../../../src/fund/redis/Scripts.ts"

const scripts = Object.entries(Scripts)

describe("Scripts", () => {
  it.each(scripts)("%s: the digest is that of the text", (_, { lua, sha }) => {
    expect(sha).toBe(createHash("sha1").update(lua).digest("hex"))
  })

  it.each(scripts)("%s: reads the clock of the server at most once", (_, { lua }) => {
    expect(lua.split("redis.call('TIME')").length).toBeLessThanOrEqual(2)
  })
})

/** A script that is told the time by its last two arguments. */
const timed = ({ lua }: Scripts.Script): string => lua.replace("redis.call('TIME')", "{ARGV[#ARGV - 1], ARGV[#ARGV]}")

const epoch = 1_795_305_600

describe("the Lua of Gcra", () => {
  const arbitrary = FastCheck.record({
    window: FastCheck.integer({ min: 100_000_000, max: 2 ** 51 }),
    owed: FastCheck.option(FastCheck.double({ min: -0.5, max: 2.5, noNaN: true })),
    micros: FastCheck.integer({ min: 0, max: 999_999 }),
    want: FastCheck.double({ min: 0.2, max: 1.2, noNaN: true }),
    least: FastCheck.double({ min: 0, max: 1, noNaN: true })
  })

  const cases = FastCheck.sample(arbitrary, { numRuns: 150, seed: 7 })

  it.effect("decides and keeps what the specification does, to the microsecond", () =>
    Effect.gen(function* () {
      const { admin } = yield* Redis.shared
      const rows = yield* Effect.promise(() =>
        Promise.all(
          cases.map(async ({ least, micros, owed, want, window }, index) => {
            const key = `scripts:${index}`
            const now = epoch * 1_000_000 + micros
            const arrival = owed === null ? 0 : now + Math.round(owed * window)
            const asked = { window, want: Math.round(want * window), least: Math.round(want * least * window) }
            const time = [epoch, micros]
            const prepare = () => (owed === null ? admin.del(key) : admin.set(key, `${arrival}`))
            const kept = async () => Number((await admin.get(key)) ?? 0)
            const run = async (script: Scripts.Script, ...args: ReadonlyArray<number>) => {
              await prepare()
              return { answer: await admin.eval(timed(script), 1, key, ...args, ...time), kept: await kept() }
            }
            const spec = Arrival.taken(arrival, now, asked)
            const after = Arrival.put(arrival, now, window, asked.want)
            return {
              actual: {
                take: await run(Scripts.take, window, asked.want, asked.least),
                put: await run(Scripts.put, window, asked.want),
                room: await run(Scripts.room, window)
              },
              expected: {
                take: { answer: [spec.granted, spec.retryAfter, spec.room], kept: spec.arrival },
                put: {
                  answer: [Arrival.room(after, now, window)],
                  // A full bucket has no key; one that was there and has drained may stay.
                  kept: arrival > now ? (after > now ? after : 0) : arrival
                },
                room: { answer: [Arrival.room(arrival, now, window)], kept: arrival }
              }
            }
          })
        )
      )
      expect(rows.map(({ actual }) => actual)).toEqual(rows.map(({ expected }) => expected))
    })
  )
})
