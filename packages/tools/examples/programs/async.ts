import { AttemptTimeout, Classifier, Deadline, Policy, Promises, Verdict } from "@effect-retry/core"

class Busy extends Error {}
class NotFound extends Error {}

const policy = {
  ...Policy.standard,
  attemptTimeout: AttemptTimeout.constant("2 seconds"),
  classifier: Classifier.fromClass(Busy, Verdict.throttling),
  deadline: Deadline.refuse("10 seconds")
}

// Stands for your function: the server is busy once, and then it answers. It passes the signal to what it calls.
const getPage = async ({ number, signal }: Promises.Attempt): Promise<string> => {
  signal.throwIfAborted()
  if (number === 1) throw new Busy("try again")
  return `page, by attempt ${number}`
}

console.log(await Promises.retry(getPage, policy))

const missing = async (): Promise<string> => {
  throw new NotFound("no such page")
}

try {
  await Promises.retry(missing, policy)
} catch (error) {
  console.log(error instanceof NotFound, String(error))
}

const caller = new AbortController()
caller.abort("the caller has left")
await Promises.retry(getPage, policy, { signal: caller.signal }).catch(console.log)
