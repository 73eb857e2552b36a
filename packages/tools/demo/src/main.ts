/**
 * Retries of real HTTP calls on loopback, drawn to scale. Exits with 0 if all that it shows is what the policies promise.
 */
import { Cause, Effect, Exit } from "effect"
import * as Arguments from "./Arguments.ts"
import * as Demo from "./Demo.ts"
import * as Paint from "./Paint.ts"

// A reader that has seen enough, such as `head`, ends the demo, and not with an error of its own.
process.stdout.on("error", () => process.exit(1))

const print = (text: string) => void process.stdout.write(text)
const given = Arguments.parse(process.argv.slice(2))
if ("problem" in given) {
  process.stderr.write(`${given.problem}\n\n${Arguments.help}`)
  process.exitCode = 2
} else if (given.help === true) print(Arguments.help)
else {
  // Until it has ended without a failure.
  process.exitCode = 1
  const style = Paint.style(process.env, process.stdout)
  const show = Demo.run({ scenes: Demo.scenes, seed: given.seed, style, print })
  Effect.runCallback(Effect.timeoutFail(show, { duration: "1 minute", onTimeout: () => "it took too long" }), {
    onExit: (exit) => {
      if (Exit.isFailure(exit)) console.error(Cause.pretty(exit.cause))
      else process.exitCode = exit.value ? 0 : 1
    }
  })
}
