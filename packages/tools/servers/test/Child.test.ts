import { fork } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdtemp } from "node:fs/promises"
import { connect } from "node:net"
import { delimiter, join } from "node:path"
import { tmpdir } from "node:os"
import { setTimeout as sleep } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Port from "@effect-retry/servers/Port"
import * as Program from "@effect-retry/servers/Program"
import * as Redis from "@effect-retry/servers/Redis"
import type * as Child from "@effect-retry/servers/Child"

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy()
      resolve(true)
    })
    socket.once("error", () => resolve(false))
  })

/** Kills a process that has started a server, and answers when the server is gone. */
const killStarter = async (file: string): Promise<void> => {
  const program = await Effect.runPromise(Redis.ensure)
  const directory = await mkdtemp(join(tmpdir(), "effect-retry-orphan-"))
  const port = await Port.free()
  const options: Child.Options = {
    command: program.path,
    args: ["--port", `${port}`, "--save", ""],
    directory,
    env: { LD_LIBRARY_PATH: program.libraries.join(delimiter) }
  }
  const starter = fork(file, [JSON.stringify(options)], { execArgv: [] })
  while (!(await accepts(port))) await sleep(5)
  starter.kill("SIGKILL")
  while (await accepts(port)) await sleep(5)
  while (existsSync(directory)) await sleep(5)
  assert.strictEqual(await accepts(port), false)
}

describe("Child.start", () => {
  it.scopedLive("ends the server and removes its directory when the process that started it is killed", () =>
    Effect.gen(function* () {
      const starter = yield* Program.bundled(new URL("orphan.ts", import.meta.url))
      yield* Effect.promise(() => killStarter(starter))
    })
  )
})
