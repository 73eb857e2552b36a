import { Deadline } from "@effect-retry/core"
import { Fetch, HttpRetry } from "@effect-retry/http"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

// A server on this machine that is overloaded for one request, and says when to come back.
let requests = 0
const server = createServer((_, response) => {
  requests++
  if (requests === 1) response.writeHead(429, { "retry-after": "1" }).end()
  else response.end("page")
})
await once(server.listen(0), "listening")
const { port } = server.address() as AddressInfo

const retrying = Fetch.make({ ...HttpRetry.standard, deadline: Deadline.refuse("10 seconds") })

const response = await retrying(`http://localhost:${port}`)
console.log(response.status, await response.text())
console.log("requests:", requests)
server.close()
