/**
 * One call of a client: the caller's requests go to all attempts, and the response to one attempt goes to the caller.
 *
 * An attempt is committed when its response begins, or when the requests no longer fit the buffer: the others are then
 * cancelled, no further one is made, and its status becomes that of the call. Until then the caller sees nothing.
 */
import type { InterceptingListener, InterceptorOptions, NextCall, StatusObject } from "@grpc/grpc-js"
import { Metadata, status as codes } from "@grpc/grpc-js"
import * as FiberLine from "@effect-retry/core/unstable/FiberLine"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { previousAttempts } from "../accept/AttemptMetadata.ts"
import * as StatusCode from "../accept/StatusCode.ts"
import * as Attempts from "./InterceptorAttempt.ts"
import * as Parent from "./InterceptorParent.ts"
import type { Child, MessageContext } from "./InterceptorRequests.ts"
import * as Requests from "./InterceptorRequests.ts"

type Attempt = Attempts.Attempt

/** The status of a failed attempt, and whether the call was committed to it. */
export interface Failure extends StatusObject {
  /** The name of the code, which events show. */
  readonly _tag: string
  readonly isCommitted: boolean
}

/** Sends an attempt that has this many attempts before it. Succeeds with the status OK and fails with any other. */
export interface Send {
  (previous: number): Effect.Effect<StatusObject, Failure>
}

/** Starts the attempts of a call in a fiber. */
export interface Start {
  (send: Send): Fiber.RuntimeFiber<StatusObject, StatusObject>
}

/** The state of one call. Mutable. */
interface Call {
  readonly options: InterceptorOptions
  readonly nextCall: NextCall
  readonly start: Start
  readonly requests: Requests.Requests
  readonly running: Set<Attempt>
  committed: Attempt | undefined
  metadata: Metadata
  listener: Partial<InterceptingListener>
  /** Whether the caller is reading messages. */
  isReading: boolean
  isAnswered: boolean
  cancelled: StatusObject | undefined
  fiber: Fiber.RuntimeFiber<StatusObject, StatusObject> | undefined
}

/** A call that has not started. */
export const make = (given: Pick<Call, "options" | "nextCall" | "start"> & { readonly bufferBytes: number }): Child => {
  const { bufferBytes, nextCall, options, start } = given
  const call: Call = {
    options,
    nextCall,
    start,
    requests: Requests.make(options.method_definition.requestSerialize, bufferBytes),
    running: new Set(),
    committed: undefined,
    metadata: new Metadata(),
    listener: {},
    isReading: false,
    isAnswered: false,
    cancelled: undefined,
    fiber: undefined
  }
  return {
    start: (metadata, listener) => begin(call, metadata, listener ?? {}),
    sendMessage: (message) => append(call, message, {}),
    sendMessageWithContext: (context, message) => append(call, message, context),
    startRead: () => read(call),
    halfClose: () => close(call),
    cancelWithStatus: (code, details) => cancel(call, { code, details, metadata: new Metadata() }),
    getPeer: () => latest(call)?.child.getPeer() ?? "unknown",
    getAuthContext: () => call.committed?.child.getAuthContext() ?? null
  }
}

const latest = ({ committed, running }: Call): Attempt | undefined => committed ?? [...running].at(-1)

const begin = (call: Call, metadata: Metadata, listener: Partial<InterceptingListener>): void => {
  call.metadata = metadata.clone()
  call.listener = listener
  const status = { code: codes.CANCELLED, details: "Cancelled by parent call", metadata: new Metadata() }
  const unfollow = Parent.follow(call.options, () => cancel(call, status))
  if (call.cancelled !== undefined) {
    unfollow()
    return report(call, call.cancelled)
  }
  call.fiber = call.start((previous) => attempt(call, previous))
  call.fiber.addObserver((exit) => {
    unfollow()
    report(call, call.cancelled ?? Exit.match(exit, { onSuccess: (ok) => ok, onFailure: lastStatus }))
  })
}

/** The status with which the operation failed; anything else is a defect in an interceptor. */
const lastStatus = (cause: Cause.Cause<StatusObject>): StatusObject =>
  Option.getOrElse(Cause.failureOption(cause), () => ({
    code: codes.INTERNAL,
    details: `An interceptor failed: ${Cause.prettyErrors(cause)[0]?.message ?? "interrupted"}`,
    metadata: new Metadata()
  }))

/** In a separate turn of the event loop, so that what the caller throws does not reach the fiber. */
const report = ({ isAnswered, listener, options }: Call, { code, details, metadata }: StatusObject): void =>
  queueMicrotask(() => {
    // This tells clients that expect one response that there is none.
    if (!isAnswered && !options.method_definition.responseStream) listener.onReceiveMessage?.(null)
    listener.onReceiveStatus?.({ code, details, metadata })
  })

const cancel = (call: Call, status: StatusObject): void => {
  call.cancelled ??= status
  if (call.fiber !== undefined) FiberLine.interruptNow(call.fiber)
}

const append = (call: Call, message: unknown, { callback, ...context }: MessageContext): void => {
  const { options, requests } = call
  requests.kept.push({ message, context })
  const isKept = call.committed === undefined && (!options.method_definition.requestStream || Requests.fit(requests))
  if (isKept) {
    sendAll(call)
    return callback?.()
  }
  // The caller waits from now on until requests are written.
  if (callback !== undefined) requests.kept.splice(-1, 1, { message, context: { ...context, callback } })
  commitFurthest(call)
  sendAll(call)
}

const close = (call: Call): void => {
  call.requests.ended = true
  sendAll(call)
}

const read = (call: Call): void => {
  call.isReading = true
  for (const { child } of call.running) child.startRead()
}

const sendAll = (call: Call): void => {
  for (const each of call.running) sendTo(call, each)
}

const sendTo = (call: Call, self: Attempt): void => {
  if (!call.running.has(self)) return
  Attempts.send(self, call.requests, ({ callback }) => {
    if (call.committed === self) Requests.forget(call.requests, self.next)
    callback?.()
    sendTo(call, self)
  })
}

const commitFurthest = (call: Call): void => {
  const [furthest] = [...call.running].toSorted((a, b) => b.next - a.next)
  if (furthest !== undefined) commit(call, furthest)
}

/** Commits the call to one running attempt. */
const commit = (call: Call, self: Attempt): true => {
  call.committed = self
  for (const other of call.running) {
    if (other !== self) discard(call, other)
  }
  Requests.forget(call.requests, self.next)
  return true
}

const lost = { code: codes.CANCELLED, details: "Another attempt was chosen" }

const discard = (call: Call, self: Attempt): void => {
  const { code, details } = call.cancelled ?? lost
  if (call.running.delete(self)) self.child.cancelWithStatus(code, details)
}

const attempt = (call: Call, previous: number): Effect.Effect<StatusObject, Failure> =>
  Effect.async((resume) => {
    if (call.running.size > 0 && !Requests.fit(call.requests)) commitFurthest(call)
    // The committed attempt ends the call, whatever a policy still plans.
    if (call.committed !== undefined) return
    const self = Attempts.make(call.nextCall(Parent.withoutCancellation(call.options)), previous)
    call.running.add(self)
    self.child.start(metadataOf(call, previous), listenerOf(call, self, resume))
    if (call.isReading) self.child.startRead()
    sendTo(call, self)
    return Effect.sync(() => discard(call, self))
  })

/** Tells the server, and the caller, how many attempts came before. */
const withPrevious = (metadata: Metadata, previous: number): Metadata => {
  if (previous > 0) metadata.set(previousAttempts, String(previous))
  return metadata
}

const metadataOf = (call: Call, previous: number): Metadata => withPrevious(call.metadata.clone(), previous)

const listenerOf = (
  call: Call,
  self: Attempt,
  resume: (ended: Effect.Effect<StatusObject, Failure>) => void
): InterceptingListener => {
  let hasHeaders = false
  // The caller must not see what a cancelled attempt still receives.
  const isHeard = () => call.running.has(self) && commit(call, self)
  return {
    onReceiveMetadata: (metadata) => {
      hasHeaders = true
      if (isHeard()) call.listener.onReceiveMetadata?.(withPrevious(metadata, self.previous))
    },
    onReceiveMessage: (message) => {
      // Clients that expect one response get `null` if there is none.
      if (message === null || !isHeard()) return
      call.isAnswered = true
      call.listener.onReceiveMessage?.(message)
    },
    onReceiveStatus: (status) => {
      if (!call.running.delete(self)) return
      if (!hasHeaders) withPrevious(status.metadata, self.previous)
      resume(status.code === codes.OK ? Effect.succeed(status) : Effect.fail(failureOf(call, self, status)))
    }
  }
}

const failureOf = (call: Call, self: Attempt, { code, details, metadata }: StatusObject): Failure => ({
  _tag: StatusCode.fromNumber(code) ?? String(code),
  code,
  details,
  metadata,
  isCommitted: call.committed === self || !Requests.fit(call.requests)
})
