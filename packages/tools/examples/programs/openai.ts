import { Fetch, Presets } from "@effect-retry/http"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import OpenAI from "openai"

// Stands for the API: it is overloaded for one request, and says when to come back.
let requests = 0
const server = createServer((request, response) => {
  requests++
  request.resume()
  if (requests === 1) response.writeHead(429, { "retry-after-ms": "50" }).end()
  else {
    response.writeHead(200, { "content-type": "application/json" })
    response.end(JSON.stringify({ choices: [{ message: { role: "assistant", content: "Hello!" } }] }))
  }
})
await once(server.listen(0), "listening")
const { port } = server.address() as AddressInfo

const openai = new OpenAI({
  apiKey: "any",
  baseURL: `http://localhost:${port}/v1`,
  fetch: Fetch.make(Presets.openai),
  maxRetries: 0
})

const { choices } = await openai.chat.completions.create({
  model: "any",
  messages: [{ role: "user", content: "Say hello." }]
})
console.log(choices[0]?.message.content)
console.log("requests:", requests)
server.close()
