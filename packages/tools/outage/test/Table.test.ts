import { describe, expect, it } from "@effect/vitest"
import * as Table from "../src/Table.ts"
import { options, run, runs } from "./Runs.ts"

describe("Table.mostRetries", () => {
  // The last request comes after 3.5 seconds: a floor of 7 tokens; three successes credit 1.5.
  it.each([
    ["none", 3 * 4],
    ["own", 20 * (10 + 7) + 1.5],
    ["part", 20 + 7 + 1.5],
    ["shared", 10 + 7 + 1.5]
  ] as const)("is the formula of the bucket: %s", (kind, expected) => {
    expect(Table.mostRetries(run(kind), 20, options)).toBe(expected)
  })
})

describe("Table.isOnTime", () => {
  // Two first attempts come in the two seconds of the outage.
  it.each([
    [0.7, false],
    [0.9, true],
    [1.2, true],
    [1.3, false]
  ])("compares the first attempts of the outage with those that are due, here %s per second", (rate, expected) => {
    expect(Table.isOnTime(run("none"), { ...options, operationsPerSecond: rate })).toBe(expected)
  })
})

describe("Table.draw", () => {
  it("counts the requests of the outage, and the retries in it and in all", () => {
    expect(Table.draw(runs, 1200, options).split("\n")).toEqual([
      "| each process has | requests in the outage | of these, retries | retries in all | the formula allows |",
      "| --- | ---: | ---: | ---: | ---: |",
      "| no bucket | 3 | 1 | 2 | 12 |",
      "| a bucket for each process | 3 | 1 | 2 | 20,401 |",
      "| 1/1200 of the bucket for each process | 3 | 1 | 2 | 1,208 |",
      "| one bucket, shared by `RedisBucket` | 3 | 1 | 2 | 18 |"
    ])
  })
})

describe("Table.storeCalls", () => {
  it("counts the scripts, sent in full or by their digest, and nothing else", () => {
    const lines = [
      "# Commandstats",
      "cmdstat_evalsha:calls=12,usec=3",
      "cmdstat_get:calls=30,usec=1",
      "cmdstat_eval:calls=3,usec=9"
    ]
    expect(Table.storeCalls(lines.join("\r\n"))).toBe(12 + 3)
    expect(Table.storeCalls("")).toBe(0)
  })
})
