/**
 * Clients for promises, each configured to three attempts and the smallest delay that its documentation allows.
 */
import * as Axios from "axios"
import axiosRetry from "axios-retry"
import { got } from "got"
import ky from "ky"
import { Readable } from "node:stream"
import { Agent, request, RetryAgent } from "undici"
import { type Body, type Call, type Client, maxAttempts } from "./Client.ts"

const retries = maxAttempts - 1

/** The body as web standards have it. */
const webBody = (body: Body): string | FormData | ReadableStream<Uint8Array> => {
  switch (body._tag) {
    case "Text":
      return body.text
    case "Form":
      return body.form
    case "Stream":
      return new Blob([body.text]).stream()
  }
}

const nodeBody = ({ body }: Call) => {
  switch (body?._tag) {
    case "Text":
      return body.text
    case "Form":
      return body.form
    case "Stream":
      return Readable.from([body.text])
    default:
      return undefined
  }
}

/** A stream needs `duplex`, and other bodies ignore it. */
export const init = (call: Call): RequestInit => ({
  method: call.method,
  headers: call.headers,
  signal: call.signal,
  ...(call.body !== undefined && { body: webBody(call.body), duplex: "half" })
})

export const kyClient: Client = {
  name: "ky",
  from: "ky",
  settings: "`retry: { limit: 2, delay: () => 1 }`",
  send: (call) =>
    ky(call.url, {
      ...init(call),
      retry: { limit: retries, delay: () => 1 },
      // Its default of ten seconds would end attempts of a machine that stalls, and no others.
      timeout: call.timeoutMillis ?? false
    }).text()
}

export const gotClient: Client = {
  name: "got",
  from: "got",
  settings: "`retry: { limit: 2, backoffLimit: 1, noise: 0 }`",
  send: (call) =>
    got(call.url, {
      method: call.method as "GET",
      headers: { ...call.headers },
      signal: call.signal,
      retry: { limit: retries, backoffLimit: 1, noise: 0 },
      ...(call.body !== undefined && { body: nodeBody(call) as string }),
      ...(call.timeoutMillis !== undefined && { timeout: { request: call.timeoutMillis } })
    }).text()
}

/** For clients with their own timers; neither retries a timeout. Longer than a machine stalls before a request arrives. */
const realTimeoutMillis = 3000

export const axiosClient: Client = {
  name: "axios-retry",
  from: "axios-retry",
  settings: "`retries: 2`",
  send: (call) => {
    const client = Axios.create()
    axiosRetry(client, { retries })
    return client.request({
      url: call.url,
      method: call.method,
      headers: { ...call.headers },
      data: nodeBody(call),
      signal: call.signal,
      ...(call.timeoutMillis !== undefined && { timeout: realTimeoutMillis })
    })
  }
}

export const undiciClient: Client = {
  name: "undici",
  from: "undici",
  settings: "`new RetryAgent(agent, { maxRetries: 2, minTimeout: 1 })`",
  send: async (call) => {
    const agent = new Agent()
    const dispatcher = new RetryAgent(agent, { maxRetries: retries, minTimeout: 1 })
    try {
      const { body } = await request(call.url, {
        dispatcher,
        method: call.method as "GET",
        headers: { ...call.headers },
        body: nodeBody(call) as string,
        signal: call.signal,
        ...(call.timeoutMillis !== undefined && { headersTimeout: realTimeoutMillis })
      })
      return await body.text()
    } finally {
      await agent.destroy()
    }
  }
}
