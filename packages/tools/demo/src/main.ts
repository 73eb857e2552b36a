/**
 * Retries of real HTTP calls on loopback, as timelines. Exits 0 if all that it shows is what the policies promise.
 *
 *     pnpm demo           the same faults every time
 *     pnpm demo <seed>    other faults
 */
import { Cause, Effect, Exit } from "effect"
import * as Demo from "./Demo.ts"
import * as Paint from "./Paint.ts"

// A reader that has seen enough, such as `head`, ends the show and not with an error of its own.
process.stdout.on("error", () => process.exit(1))

// Until it has ended well.
process.exitCode = 1

const show = Demo.run({
  scenes: Demo.scenes,
  seed: process.argv.slice(2).find((argument) => argument !== "--") ?? "5",
  style: Paint.style(process.env, process.stdout),
  print: (text) => void process.stdout.write(text)
}).pipe(Effect.timeoutFail({ duration: "14 seconds", onTimeout: () => "the demo did not end within 14 seconds" }))

Effect.runCallback(show, {
  onExit: (exit) => {
    if (Exit.isFailure(exit)) console.error(Cause.pretty(exit.cause))
    else process.exitCode = exit.value ? 0 : 1
  }
})
