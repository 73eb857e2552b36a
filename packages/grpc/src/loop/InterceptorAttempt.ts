/**
 * One attempt of a call: the requests that are sent again, in their order, and the end of them.
 */
import type { Child, MessageContext, Requests } from "./InterceptorRequests.ts"
import { at, count } from "./InterceptorRequests.ts"

/** An attempt. Mutable, and of one call. */
export interface Attempt {
  readonly child: Child
  /** How many attempts of the policy came before it. */
  readonly previous: number
  /** The index of the next request to send. */
  next: number
  /** Whether the latest request is still being written. */
  isWriting: boolean
  /** Whether the end of the requests was sent. */
  isClosed: boolean
}

/** An attempt that has sent nothing. */
export const make = (child: Child, previous: number): Attempt => ({
  child,
  previous,
  next: 0,
  isWriting: false,
  isClosed: false
})

/**
 * Sends the next request, if the one before was written, and the end of all requests together with the last. The caller
 * calls again when a request was written.
 */
export const send = (self: Attempt, requests: Requests, onWritten: (context: MessageContext) => void): void => {
  const request = self.isWriting ? undefined : at(requests, self.next)
  if (request !== undefined) {
    self.isWriting = true
    self.next += 1
    const callback = () => {
      self.isWriting = false
      onWritten(request.context)
    }
    self.child.sendMessageWithContext({ ...request.context, callback }, request.message)
  }
  if (!requests.ended || self.isClosed || self.next < count(requests)) return
  self.isClosed = true
  self.child.halfClose()
}
