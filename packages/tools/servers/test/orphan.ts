/** A process that starts a server, and does not end it. */
import * as Child from "../src/Child.ts"

await Child.start(JSON.parse(process.argv[2] ?? "") as Child.Options)
