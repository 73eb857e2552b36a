import { expect, it } from "vitest"
import { modulesOf } from "../src/Modules.ts"

const conditions = (file: string) => ({ "@effect-retry/source": `./src/${file}`, default: "./dist/a.js" })

it("Modules.modulesOf are the modules for users", () => {
  const exports = {
    ".": conditions("index.ts"),
    "./Backoff": conditions("decide/Backoff.ts"),
    "./IoRedis": conditions("fund/redis/IoRedis.ts"),
    "./unstable/Loop": conditions("loop/run/Loop.ts"),
    "./package.json": "./package.json"
  }
  expect(modulesOf(exports)).toEqual([
    { name: "Backoff", file: "src/decide/Backoff.ts" },
    { name: "IoRedis", file: "src/fund/redis/IoRedis.ts" }
  ])
})
