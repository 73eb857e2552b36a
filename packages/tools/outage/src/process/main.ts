/**
 * A process of the fleet. It does what its parent sends it, and ends when the parent is gone.
 */
import * as Effect from "effect/Effect"
import * as Load from "./Load.ts"
import type { Play } from "./Message.ts"

process.on("message", (play: Play) => {
  void Effect.runPromise(Load.play(play)).then((played) => process.send?.(played))
})
process.once("disconnect", () => process.exit())
process.send?.("ready")
