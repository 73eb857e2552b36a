/**
 * Answers a question of the page by simulations: first rough, then finer.
 */
import { Load } from "@effect-retry/plan"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Operations from "./Operations.ts"
import { type Client, client } from "./Client.ts"
import { load } from "./PresetClients.ts"
import { type Answer, outageFrom, type Question, type Recovery } from "./Question.ts"
import type { Settings } from "./Settings.ts"

/** Before this second a simulation has nothing but normal traffic. */
const firstSecond = 60 - outageFrom

/** Operations that are drawn, and those that the summary is made of. */
const drawn = 12
const summed = 400

/** Requests a second that the server can serve: the first picture is there at once, the last one is less noisy. */
const capacities = [20, 100]

export async function* answers({ other, settings }: Question): AsyncGenerator<Answer> {
  try {
    const ours = client(settings)
    yield {
      _tag: "Operations",
      operations: await Effect.runPromise(Operations.run(ours, settings, drawn)),
      outage: Operations.outageOf(settings, drawn)
    }
    const theirs = await load(other)
    const summaryOf = async (client: Client) =>
      Operations.summary(await Effect.runPromise(Operations.run(client, settings, summed)))
    yield { _tag: "Summary", ours: await summaryOf(ours), other: await summaryOf(theirs) }
    for (const [i, capacity] of capacities.entries()) {
      const isLast = i === capacities.length - 1
      const [one, two] = [await recovery(ours, settings, capacity), await recovery(theirs, settings, capacity)]
      yield { _tag: "Load", ours: one, other: two, isLast }
    }
  } catch (error) {
    yield { _tag: "Refused", message: error instanceof Error ? error.message : String(error) }
  }
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
