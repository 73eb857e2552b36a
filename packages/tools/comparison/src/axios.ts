/** A client of axios with axios-retry, and the same client over a `fetch` that retries. */
// #region theirs
import axios from "axios"
import axiosRetry from "axios-retry"

const byAxiosRetry = axios.create({ adapter: "fetch" })
axiosRetry(byAxiosRetry, { retries: 2, retryDelay: axiosRetry.exponentialDelay })
// #endregion
// #region ours
import { AttemptTimeout, Backoff, Jitter } from "@effect-retry/core"
import { Fetch } from "@effect-retry/http"

const retrying = Fetch.make({
  maxAttempts: 3,
  attemptTimeout: AttemptTimeout.constant("5 seconds"),
  backoff: Backoff.exponential({ base: "200 millis" }).pipe(Backoff.jittered(Jitter.proportional({ ratio: 0.2 })))
})

const ours = axios.create({ adapter: "fetch", env: { fetch: retrying } })
// #endregion

export const clients = { "axios-retry": byAxiosRetry, ours }
