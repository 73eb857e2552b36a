/**
 * One attempt of a call: sends the requests in order, and then their end.
 */
import type { Child, MessageContext, Requests } from "./InterceptorRequests.ts"
import { at, count } from "./InterceptorRequests.ts"

/** An attempt. Mutable, and belongs to one call. */
export interface Attempt {
  readonly child: Child
  /** How many attempts came before it. */
  readonly previous: number
  /** The index of the next request to send. */
  next: number
  /** Whether the latest request is still being written. */
  isWriting: boolean
  /** Whether the end of the requests has been sent. */
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
 * Sends the next request if the one before has been written, and the end of the requests together with the last one.
 * Call it again when a request has been written.
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
