/** Servers that have been started and answer. */
import { setTimeout as sleep } from "node:timers/promises"
import * as Child from "./Child.ts"
import { ServerError } from "./ServerError.ts"
import { longestMillis } from "./Until.ts"

const pollMillis = 3

/** Starts a server and answers when it does. `isReady` says whether the process itself answers, and not another one. */
export const start = async (
  name: string,
  options: Child.Options,
  isReady: (pid: number) => Promise<boolean>
): Promise<Child.Child> => {
  const child = await Child.start(options)
  const startedAt = performance.now()
  while (child.isRunning() && performance.now() - startedAt < longestMillis) {
    if (await isReady(child.pid)) return child
    await sleep(pollMillis)
  }
  await child.end()
  throw new ServerError({ message: `${name} does not start: ${child.output().split("\n").join("; ")}` })
}
