/**
 * The columns of the tables.
 */
import type { Client } from "./Client.ts"
import * as Effects from "./Effects.ts"
import * as Promises from "./Promises.ts"

export const clients: ReadonlyArray<Client> = [
  Effects.overFetch,
  Effects.overUndici,
  Effects.retryingFetch,
  Effects.effect3,
  Effects.effect4,
  Promises.kyClient,
  Promises.gotClient,
  Promises.axiosClient,
  Promises.undiciClient
]
