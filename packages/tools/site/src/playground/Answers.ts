/**
 * Answers a question of the page by simulations: first rough, then finer.
 */
import { Load, Plan } from "@effect-retry/plan"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Client, client } from "./Client.ts"
import { drawn } from "./Delays.ts"
import { bands } from "./Explaining.ts"
import { mostBands } from "./Figures.ts"
import { guarded } from "./Guarding.ts"
import * as Operations from "./Operations.ts"
import { load } from "./PresetClients.ts"
import { type Answer, outageFrom, type Planned, type Question, type Recovery, type Storm } from "./Question.ts"
import type { Settings } from "./Settings.ts"

/** Before this second a simulation has nothing but normal traffic. */
const firstSecond = 60 - outageFrom

/** Operations that are shown, and those that the summary is made of. */
const shown = 12
const summed = 400

/**
 * Requests a second that the server can serve. A small server costs little time: its picture is rough, and there within a
 * second. That of the largest is the least noisy.
 */
const capacities = { first: 5, finer: 20, last: 100 }

export async function* answers(question: Question): AsyncGenerator<Answer> {
  try {
    switch (question._tag) {
      case "Show":
        yield* simulated(question)
        break
      case "Fit":
        yield* searched(question)
        break
      case "Take": {
        const { taken } = await import("./Taking.ts")
        yield { _tag: "Taken", taken: await taken(question.preset) }
      }
    }
  } catch (error) {
    yield { _tag: "Refused", message: error instanceof Error ? error.message : String(error) }
  }
}

async function* searched({ settings }: Question & { readonly _tag: "Fit" }): AsyncGenerator<Answer> {
  const { fitted } = await import("./Fitting.ts")
  yield { _tag: "Fitted", ...(await fitted(settings)) }
}

async function* simulated({ settings }: Question & { readonly _tag: "Show" }): AsyncGenerator<Answer> {
  const ours = client(settings)
  const few = Operations.steady(settings, shown)
  yield {
    _tag: "Operations",
    operations: await Effect.runPromise(Operations.run(ours, settings, few)),
    outage: few.outage
  }
  yield { _tag: "Delays", delays: delaysOf(ours, settings) }
  const theirs = await load(settings.other)
  const loadWith = async (capacity: number): Promise<Answer> => ({
    _tag: "Load",
    ours: await recovery(ours, settings, capacity),
    other: await recovery(theirs, settings, capacity),
    isLast: capacity === capacities.last
  })
  yield await loadWith(capacities.first)
  yield { _tag: "Guard", guarded: await Effect.runPromise(guarded(ours, settings)) }
  yield { _tag: "Other", planned: planned(theirs, settings) }
  const many = Operations.steady(settings, summed)
  const summaryOf = async (client: Client) =>
    Operations.summary(await Effect.runPromise(Operations.run(client, settings, many)), many)
  yield { _tag: "Summary", ours: await summaryOf(ours), other: await summaryOf(theirs) }
  const attemptsOf = async (client: Client) =>
    (await Effect.runPromise(Operations.run(client, settings, Operations.together(settings)))).flatMap(({ attempts }) =>
      attempts.map(({ startMillis }) => startMillis)
    )
  yield { _tag: "Storm", storm: stormOf(await attemptsOf(ours), await attemptsOf(theirs)) }
  yield await loadWith(capacities.finer)
  yield await loadWith(capacities.last)
}

const delaysOf = ({ policy: { backoff, maxAttempts } }: Client, { seed }: Settings) =>
  drawn(backoff, { retries: Math.min(maxAttempts - 1, mostBands), seed })

/** Of a bucket a plan asks only whether there is one. */
const planned = (client: Client, settings: Settings): Planned => {
  const plan = Plan.explain({ ...client.policy, bucket: client.bucket })
  return { bands: bands(plan), drawn: delaysOf(client, settings), text: Plan.toText(plan) }
}

/** Parts into which the time of a storm is divided. */
const bins = 60

const stormOf = (ours: ReadonlyArray<number>, other: ReadonlyArray<number>): Storm => {
  const lastMillis = [...ours, ...other].reduce((last, millis) => Math.max(last, millis), 0)
  const binMillis = Math.max(1, Math.ceil((lastMillis + 1) / bins))
  const counted = (starts: ReadonlyArray<number>): ReadonlyArray<number> => {
    const counts = Array.from({ length: bins }, () => 0)
    for (const millis of starts) counts[Math.floor(millis / binMillis)]! += 1
    return counts
  }
  return { binMillis, ours: counted(ours), other: counted(other) }
}

const recovery = async (client: Client, settings: Settings, capacityPerSecond: number): Promise<Recovery> => {
  const { recoveredAfter, seconds } = await Effect.runPromise(
    Load.recovery(client, {
      load: settings.load,
      seed: settings.seed,
      attemptTimeout: settings.attemptTimeout === 0 ? "1 second" : Duration.millis(settings.attemptTimeout),
      outage: Duration.millis(settings.outage),
      patience: "30 seconds",
      server: { capacityPerSecond }
    })
  )
  const shown = seconds.slice(firstSecond)
  return {
    recoveredAfterMillis: Option.getOrUndefined(Option.map(recoveredAfter, Duration.toMillis)),
    attempts: shown.map(({ attempts }) => attempts / capacityPerSecond),
    succeeded: shown.map(({ succeeded }) => succeeded / capacityPerSecond)
  }
}
