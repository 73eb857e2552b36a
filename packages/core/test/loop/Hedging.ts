/**
 * Scripted attempts for tests of hedges, and a bucket that writes down what it hears.
 */
import { type Hedge, Retry, type TokenBucket, Verdict } from "@effect-retry/core"
import { Data, type Duration, Effect, Option } from "effect"

export class Passing extends Data.TaggedError("Passing")<{
  readonly attempt: number
  readonly hint?: Duration.DurationInput | undefined
  readonly kind?: Verdict.Kind | undefined
}> {}

export class Fatal extends Data.TaggedError("Fatal")<{ readonly attempt: number }> {}

export const classifier = (error: Passing | Fatal): Verdict.Verdict =>
  error._tag === "Fatal"
    ? Verdict.terminal("it is fatal")
    : Verdict.retryable(error.kind ?? "Transient", { hint: error.hint })

/** What an attempt does so many milliseconds after its start, by its number; attempts that are not listed hang. */
export interface Script {
  readonly [attempt: number]: readonly [
    afterMillis: number,
    end: "ok" | "fatal" | "pass" | "die",
    hint?: Duration.DurationInput
  ]
}

/** The events, as `kind attempt at time`, and what runs. */
export const make = (script: Script, nowMillis: () => number) => {
  const log: Array<string> = []
  const seen = { running: 0, most: 0 }
  const note = (text: string) => Effect.sync(() => void log.push(`${text}@${nowMillis()}`))
  const play = (attempt: number): Effect.Effect<number, Passing | Fatal> => {
    const [after, end, hint] = script[attempt] ?? []
    if (after === undefined) return Effect.never
    const ends: { readonly [end: string]: Effect.Effect<number, Passing | Fatal> } = {
      ok: Effect.succeed(attempt),
      fatal: Effect.fail(new Fatal({ attempt })),
      pass: Effect.fail(new Passing({ attempt, hint })),
      die: Effect.die("broken")
    }
    const ended = ends[end!]!
    return after === 0 ? ended : Effect.delay(ended, after)
  }
  const call = Effect.flatMap(Retry.CurrentAttempt, ({ number }) =>
    Effect.suspend(() => {
      seen.running += 1
      seen.most = Math.max(seen.most, seen.running)
      log.push(`${number}@${nowMillis()}`)
      return play(number).pipe(
        Effect.tap(note(`${number}ok`)),
        Effect.tapError(({ _tag }) => note(`${number}${_tag === "Fatal" ? "fatal" : "pass"}`)),
        Effect.onInterrupt(() => note(`${number}x`)),
        Effect.ensuring(Effect.sync(() => void (seen.running -= 1)))
      )
    })
  )
  return { call, log, seen }
}

/** A bucket of so many tokens, which notes its questions and what it hears. */
export const bucketOf = (tokens: number) => {
  const heard: Array<string> = []
  const held = { tokens }
  const bucket: TokenBucket.TokenBucket = {
    acquire: ({ attempt, kind }) =>
      Effect.sync(() => {
        heard.push(`ask ${attempt} ${Option.getOrElse(kind, () => "none")}`)
        if (held.tokens < 1) return Option.none()
        held.tokens -= 1
        return Option.some({
          tokens: 1,
          refund: Effect.sync(() => {
            held.tokens += 1
            heard.push("refund")
          })
        })
      }),
    started: ({ attempt }) => Effect.sync(() => void heard.push(`start ${attempt}`)),
    record: ({ _tag, attempt, granted }) => Effect.sync(() => void heard.push(`${_tag} ${attempt} ${granted.tokens}`)),
    level: Effect.sync(() => held.tokens)
  }
  return { bucket, heard, held }
}

export const hedge = {
  classifier,
  attempt: Retry.CurrentAttempt,
  maxAttempts: 2,
  delay: "100 millis" as Hedge.Delay
}
