// #region theirs
import pRetry, { AbortError } from "p-retry"

const byPRetry = (url: string, init?: RequestInit) =>
  pRetry(
    async () => {
      const response = await fetch(url, init)
      if (response.status === 404) throw new AbortError("not found")
      if (!response.ok) throw new Error(`status ${response.status}`)
      return response
    },
    { retries: 2, minTimeout: 100, factor: 1 }
  )
// #endregion
// #region ours
import { Backoff } from "@effect-retry/core"
import { Fetch } from "@effect-retry/http"

const retrying = Fetch.make({ maxAttempts: 3, backoff: Backoff.constant({ delay: "100 millis" }) })

const ours = (url: string, init?: RequestInit) => retrying(url, init)
// #endregion

export const ways: Readonly<Record<string, (url: string, init?: RequestInit) => Promise<Response>>> = {
  "p-retry": byPRetry,
  ours
}
