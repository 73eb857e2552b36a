/**
 * The message of a failed contract test: which promise the bucket broke, and the likely cause.
 */

/** Likely causes, by the name of a test. Some promises can be broken for too many reasons to name one. */
const likely: { readonly [sentence: string]: string } = {
  "records every way in which an attempt can end, without a failure and in no time":
    "`record` waits, fails or dies; do slow work in a fiber of the bucket's own, and turn failures of a store into a choice",
  "is another bucket whenever it is made":
    "its state is made once, outside of the effect or the layer that makes the bucket",
  "loses no tokens to a success": "`record` takes tokens for a success as it does for a failure",
  "neither makes nor loses tokens when the wall clock is set":
    "it refills by the wall clock; read `clock.unsafeCurrentTimeNanos()`, which no operator sets",
  "takes what it grants, on any path":
    "the number of tokens in the grant is not the number that it took; make both from one value",
  "takes and returns nothing where it refuses, on any path":
    "it takes tokens before it knows whether there are enough, or counts the refusal itself",
  "returns what is refunded, on any path":
    "`refund` adds a fixed number of tokens, also for a grant of fewer or of none; add what this grant took, up to the capacity",
  "answers with what it took, at whatever step it is interrupted":
    "`restore` is around more than the wait, or tokens are taken in one step and answered in a later one: put `restore` around the wait alone, and take and answer in one step after it",
  "loses nothing to an attempt that is interrupted when it is empty":
    "`restore` is around more than the wait, so an interruption falls between taking and answering: put it around the wait alone",
  "loses nothing to an attempt that is interrupted while it is served":
    "`restore` is around more than the wait, so tokens that were handed to a waiter are lost with it: put it around the wait alone, and return what a waiter was handed when it is interrupted",
  "grants again what was refunded, once": "`refund` returns more or fewer tokens than its grant took",
  "grants one of a hundred attempts at once where the tokens of one are left":
    "it looks at its tokens in one step and takes them in a later one; use one `Ref.modify`",
  "grants again as time passes":
    "it does not refill, or only when `record` is called; the option `refills` says that it does",
  "stays empty however much time passes": "it refills; say so with the option `refills: true`",
  "serves waiting attempts in the order in which they came":
    "waiters wake together and race for the tokens; keep a queue",
  "delays no attempt for one that is interrupted in front of others":
    "a waiter that is interrupted stays in the queue, and tokens wait for it; remove it in a finalizer",
  "delays no attempt for one that is interrupted between others":
    "a waiter that is interrupted stays in the queue, and tokens wait for it; remove it in a finalizer",
  "stops waiting as soon as it is interrupted":
    "the wait is not inside of `request.restore`, so that an interruption cannot reach it"
}

/**
 * Adds the promise and the likely cause to the error of an assertion. The error object stays the same, because test
 * runners mark it.
 */
export const explained = (sentence: string, error: unknown): unknown => {
  if (!(error instanceof Error)) return error
  const cause = likely[sentence]
  const why = cause === undefined ? "" : `\nlikely cause: ${cause}`
  error.message = `the bucket broke a promise: it ${sentence}\n${error.message}${why}`
  return error
}
