/**
 * Searches a policy for the server and the wish of the page.
 */
import { Fit } from "@effect-retry/plan"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Found } from "./Question.ts"
import type { Settings } from "./Settings.ts"

/** Operations in calm of each simulation: fewer than in a program, so that the answer is soon there. */
const operations = 500

/** The best policy and the next one; where none does what is wanted, the nearest. Throws where the packages refuse a value. */
export const fitted = async (
  settings: Settings
): Promise<{ readonly isMet: boolean; readonly found: ReadonlyArray<Found> }> => {
  const fit = await Effect.runPromise(Fit.fit(optionsOf(settings)))
  const found = fit._tag === "Met" ? [fit.best, ...Option.toArray(fit.runnerUp)] : [fit.nearest]
  return { isMet: fit._tag === "Met", found: found.map(shown) }
}

const optionsOf = (settings: Settings): Fit.Options => {
  const { failureRatio, latency, outage, wishOutageEvery, wishOutageLoad, wishSucceeded, wishWithin } = settings
  // Attempts of the page take times of an exponential distribution.
  const measured = Array.from({ length: 200 }, (_, i) =>
    Duration.millis(Math.round(-Math.log(1 - (i + 0.5) / 200) * latency))
  )
  return {
    server: {
      failureProbability: failureRatio,
      latency: { measured },
      ...(outage === 0 ? {} : { outage: { lasts: Duration.millis(outage), every: Duration.seconds(wishOutageEvery) } })
    },
    wish: {
      succeeded: wishSucceeded,
      within: Duration.millis(wishWithin),
      ...(outage === 0 || wishOutageLoad === 0 ? {} : { outageLoad: wishOutageLoad })
    },
    seed: settings.seed,
    operations
  }
}

const shown = ({ code, load, outageLoad, succeeded }: Fit.Fitted): Found => ({
  code,
  succeeded: interval(succeeded, (ratio) => `${(100 * ratio).toFixed(1)} %`),
  load: interval(load, (attempts) => attempts.toFixed(2)),
  outageLoad: Option.match(outageLoad, {
    onNone: () => "",
    onSome: (load) => interval(load, (attempts) => attempts.toFixed(2))
  })
})

const interval = ({ high, low, mean }: Fit.Fitted["load"], text: (value: number) => string): string =>
  `${text(mean)} (${text(low)} to ${text(high)})`
