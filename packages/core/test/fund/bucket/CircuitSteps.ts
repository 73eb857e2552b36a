/**
 * Takes steps on a circuit breaker, and tells what happens.
 *
 * A step is a time in milliseconds and what happens then: `f`, `o` and `i` are calls that fail, succeed and do not count;
 * `[a` and `a]o` begin and end a call that lasts, `x` interrupts it; `isolate`, `reset` and `look` are meant literally. `!` is a
 * refusal, `?` a call that has to wait, and `>C`, `>O`, `>H`, `>I` the state that is new after the step.
 */
import { Effect } from "effect"

export interface Call {
  /** Nothing for a call that is made, `!` for one that is refused, `?` for one that waits. */
  readonly answer: Effect.Effect<string>
  /** Ends the call; `millis` is how long it took, or what the server asks for. */
  readonly end: (how: string, millis: number) => Effect.Effect<void>
}

/** A circuit breaker of any library, whose clock may need `R`. */
export interface Circuit<R = never> {
  /** Moves the clock to this time. */
  readonly at: (millis: number) => Effect.Effect<void, never, R>
  readonly begin: Effect.Effect<Call>
  readonly isolate: Effect.Effect<void>
  readonly reset: Effect.Effect<void>
  /** The first letter of the state. */
  readonly state: Effect.Effect<string>
  /** Whether a probe that fails at once is seen to open the circuit again. */
  readonly reopens: boolean
}

/** The steps with what happened in them. */
export const play = <R>(circuit: Circuit<R>, steps: string): Effect.Effect<string, never, R> =>
  Effect.gen(function* () {
    const calls = new Map<string, Call>()
    const played: Array<string> = []
    let before = "C"
    for (const step of steps.split(" ")) {
      const [, at = "", what = "", millis = ""] = /^(\d+)([^!?>(]+)(?:\((\d+)\))?/.exec(step) ?? []
      yield* circuit.at(Number(at))
      let how = ""
      if (what === "isolate") yield* circuit.isolate
      else if (what === "reset") yield* circuit.reset
      else if (what.startsWith("[")) {
        const call = yield* circuit.begin
        calls.set(what.slice(1), call)
        how = yield* call.answer
      } else if (what.includes("]")) {
        const [name = "", ending = ""] = what.split("]")
        yield* calls.get(name)!.end(ending, Number(millis))
      } else if (what !== "look") {
        const call = yield* circuit.begin
        how = yield* call.answer
        if (how === "") yield* call.end(what, Number(millis))
      }
      const after = yield* circuit.state
      const isNew = after !== before || (circuit.reopens && after === "O" && what === "f" && how === "")
      played.push(`${at}${what}${millis === "" ? "" : `(${millis})`}${how}${isNew ? `>${after}` : ""}`)
      before = after
    }
    return played.join(" ")
  })
