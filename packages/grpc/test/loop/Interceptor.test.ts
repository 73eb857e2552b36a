/**
 * Calls of a client of `@grpc/grpc-js` with the interceptor, against a real server; beside the client's own retries in
 * `GrpcJsRetries`.
 */
import { InvalidArgument } from "@effect-retry/core"
import { GrpcRetry, ServiceConfig } from "@effect-retry/grpc"
import * as Interceptor from "@effect-retry/grpc/Interceptor"
import { describe, expect, it } from "@effect/vitest"
import {
  type ClientOptions,
  InterceptingCall,
  type InterceptingListener,
  type Interceptor as Made,
  type InterceptorOptions,
  Metadata,
  type NextCall,
  status,
  type StatusObject
} from "@grpc/grpc-js"
import { type Clock, type Duration, Effect, Schedule, type Scope } from "effect"
import { EventEmitter } from "node:events"
import { readFileSync } from "node:fs"
import * as Steps from "../../../core/test/support/Steps.ts"
import * as Cases from "../support/Cases.ts"
import * as GrpcClient from "../support/Client.ts"
import * as Runs from "../support/Runs.ts"
import * as GrpcServer from "../support/Server.ts"

type Options = GrpcRetry.Options & Interceptor.Options

const interceptor = (config: unknown, options: Options = {}): Effect.Effect<Made> =>
  Effect.gen(function* () {
    const grpc = yield* GrpcRetry.make(yield* Effect.orDie(ServiceConfig.decode(config)), options)
    return yield* Interceptor.make(grpc, options)
  })

interface Rig {
  readonly server: GrpcServer.GrpcServer
  readonly call: (call?: GrpcClient.Call) => Effect.Effect<GrpcClient.Ended>
}

const rig = (
  config: unknown,
  answer: (index: number) => GrpcServer.Answer,
  options: Options & { readonly client?: (made: Made) => ClientOptions } = {}
): Effect.Effect<Rig, never, Scope.Scope> =>
  Effect.gen(function* () {
    const server = yield* GrpcServer.serve(answer)
    const made = yield* interceptor(config, options)
    const client = yield* GrpcClient.connect(server.address, options.client?.(made) ?? { interceptors: [made] })
    return { server, call: (call) => GrpcClient.call(client, call) }
  })

/** Retries after a wait that does not end by itself. */
const waiting = Cases.retrying({ initialBackoff: Cases.unending, maxBackoff: Cases.unending })

const until = (holds: () => boolean): Effect.Effect<void> =>
  Effect.asVoid(Effect.repeat(Effect.sync(holds), { until: (yes) => yes, schedule: Schedule.spaced("1 millis") }))

/** Tells which calls come through it, with how many attempts before, and how they end. */
const listening =
  (heard: Array<string>, name: string): Made =>
  (options, nextCall) =>
    new InterceptingCall(nextCall(options), {
      start: (metadata, listener, next) => {
        heard.push(`${name} ${metadata.get("grpc-previous-rpc-attempts").join() || "-"}`)
        const onReceiveStatus = (ended: StatusObject) => {
          heard.push(`${name} ${status[ended.code]}`)
          listener.onReceiveStatus(ended)
        }
        next(metadata, {
          onReceiveMetadata: (given: Metadata) => listener.onReceiveMetadata(given),
          onReceiveMessage: (given: unknown) => {
            heard.push(`${name} ${given === null ? "no message" : "a message"}`)
            listener.onReceiveMessage(given)
          },
          onReceiveStatus
        })
      }
    })

const failing: Made = () => {
  throw new Error("no call today")
}

const unserializable = (): Buffer => {
  throw new Error("no bytes today")
}

type Parent = NonNullable<InterceptorOptions["parent"]>

/** The part of a server's call that clients read. */
const parent = (given: { readonly cancelled?: boolean; readonly deadline?: number } = {}) => {
  const { cancelled = false, deadline = Infinity } = given
  const emitter = Object.assign(new EventEmitter(), { cancelled, getDeadline: () => deadline })
  return { emitter, options: { parent: emitter as unknown as Parent } }
}

const ended = (code: status): StatusObject => ({ code, details: "", metadata: new Metadata() })

interface Child {
  readonly listener: InterceptingListener
  /** What the attempt was told to do. */
  readonly events: Array<string>
  /** Tells that the latest request was written. */
  readonly written: () => void
}

/** Calls whose attempts go nowhere: what they receive is up to the test. */
const byHand = ({ requestStream = false } = {}) => {
  const children: Array<Child> = []
  const events: Array<string> = []
  const listener: InterceptingListener = {
    onReceiveMetadata: () => events.push("headers"),
    onReceiveMessage: (message) => events.push(message ?? "nothing"),
    onReceiveStatus: ({ code }) => events.push(status[code])
  }
  const nextCall = (): ReturnType<NextCall> => {
    const told: Array<string> = []
    const index = children.length
    let written: WriteCallback | undefined
    return {
      start: (_, given) => {
        if (isListener(given)) children.push({ listener: given, events: told, written: () => written?.() })
      },
      sendMessage: (message) => told.push(message),
      sendMessageWithContext: ({ callback }, message) => {
        written = callback
        told.push(message)
      },
      startRead: () => undefined,
      halfClose: () => told.push("half-close"),
      cancelWithStatus: (_, details) => told.push(details),
      getPeer: () => `peer ${index}`,
      getAuthContext: () => null
    }
  }
  const codec = { requestSerialize: GrpcServer.serialize, responseDeserialize: GrpcServer.deserialize }
  const definition = { path: GrpcServer.paths.call, requestStream, responseStream: false, ...codec }
  const make = (made: Made) => made({ method_definition: definition }, nextCall)
  return { children, heard: { events, listener }, make }
}

type WriteCallback = NonNullable<Parameters<ReturnType<NextCall>["sendMessageWithContext"]>[0]["callback"]>

const isListener = (given: Partial<InterceptingListener> = {}): given is InterceptingListener =>
  given.onReceiveStatus !== undefined

/** The clock of the test, which counts the waits that run. */
const countingClock = Effect.map(Effect.clock, (clock) => {
  let begun = 0
  let over = 0
  const counted = (millis: Duration.Duration) =>
    Effect.suspend(() => {
      begun += 1
      return Effect.ensuring(
        clock.sleep(millis),
        Effect.sync(() => void (over += 1))
      )
    })
  const counting = Object.create(clock, { sleep: { value: counted } }) as Clock.Clock
  return { clock: counting, waits: () => begun - over, over: () => over }
})

const run = (given: Cases.Case) => {
  const { bufferBytes, config, maxAttemptsLimit: maxAttemptsCap } = given
  return Effect.flatMap(interceptor(config, { bufferBytes, maxAttemptsCap }), (made) =>
    Runs.run(given, { interceptors: [made] })
  )
}

const expected = (given: Cases.Case): Cases.Seen => given.interceptor?.seen ?? given.seen

describe("Interceptor.make", () => {
  it.scopedLive.each(Runs.rows(Cases.cases))("%s", ([, given]) =>
    Effect.map(run(given), (seen) => expect(seen).toEqual(expected(given)))
  )

  it.scopedLive.each(Runs.rows(Cases.deadlines(0)))("%s", ([name, given]) =>
    Effect.map(Runs.runUnderDeadline(name, run, expected(given)), (seen) => expect(seen).toEqual(expected(given)))
  )

  describe("what the caller is given", () => {
    it.scopedLive("is the status of the last attempt, with its trailers", () =>
      Effect.gen(function* () {
        const { call } = yield* rig(
          Cases.retrying({ maxAttempts: 2 }),
          Cases.answers(Cases.busy, { code: "UNAVAILABLE", pushback: ["7"] })
        )
        const { code, details, headers, messages, trailers } = yield* call()
        expect({ code, details, headers, messages }).toEqual({
          code: "UNAVAILABLE",
          details: GrpcServer.text(1),
          headers: [],
          messages: []
        })
        expect(trailers.get(GrpcServer.trailer)).toEqual(["7"])
        expect(trailers.get("grpc-previous-rpc-attempts")).toEqual(["1"])
      })
    )

    it.scopedLive("is how many attempts came before, in the headers", () =>
      Effect.gen(function* () {
        const { call } = yield* rig(Cases.retrying({}), Cases.answers(Cases.busy, Cases.ok))
        const previous = ({ headers }: GrpcClient.Ended) =>
          headers.map((each) => each.get("grpc-previous-rpc-attempts").join())
        expect([previous(yield* call()), previous(yield* call())]).toEqual([["1"], [""]])
      })
    )

    it.scopedLive("are all messages of one attempt, in their order", () =>
      Effect.gen(function* () {
        const { call } = yield* rig(Cases.retrying({}), Cases.answers(Cases.busy, { messages: 50 }))
        const { code, messages } = yield* call({ kind: "server stream" })
        expect([code, messages]).toEqual(["OK", Array.from({ length: 50 }, () => GrpcServer.text(1))])
      })
    )
  })

  describe("the attempts", () => {
    it.scopedLive("have the metadata of the caller, which stays as it was", () =>
      Effect.gen(function* () {
        const { call, server } = yield* rig(Cases.retrying({}), Cases.answers(Cases.busy, Cases.busy, Cases.ok))
        const metadata = new Metadata({ waitForReady: true })
        metadata.set("given", "once")
        yield* call({ metadata })
        expect(server.calls.map((each) => each.metadata.get("given"))).toEqual([["once"], ["once"], ["once"]])
        expect(metadata.getMap()).toEqual({ given: "once" })
      })
    )

    it.scopedLive("have each a copy of the metadata as it was at the start", () =>
      Effect.gen(function* () {
        const signing: Made = (options, nextCall) =>
          new InterceptingCall(nextCall(options), {
            start: (given, listener, next) => {
              given.add("signed", "by an interceptor")
              metadata.set("changed", "by the caller")
              next(given, listener)
            }
          })
        const metadata = new Metadata()
        const { call, server } = yield* rig(Cases.retrying({}), Cases.answers(Cases.busy, Cases.busy, Cases.ok), {
          client: (made) => ({ interceptors: [made, signing] })
        })
        yield* call({ metadata })
        const given = ({ metadata }: GrpcServer.Arrived) => [
          metadata.get("signed").join(),
          metadata.get("changed").join()
        ]
        const once = ["by an interceptor", ""]
        expect(server.calls.map(given)).toEqual([once, once, once])
      })
    )

    it.scopedLive("are one call to interceptors before this one, and calls of their own to those after it", () =>
      Effect.gen(function* () {
        const heard: Array<string> = []
        const { call } = yield* rig(Cases.retrying({}), Cases.answers(Cases.busy, Cases.ok), {
          client: (made) => ({ interceptors: [listening(heard, "before"), made, listening(heard, "after")] })
        })
        yield* call()
        expect(heard).toEqual([
          "before -",
          "after -",
          "after no message",
          "after UNAVAILABLE",
          "after 1",
          "after a message",
          "before a message",
          "after OK",
          "before OK"
        ])
      })
    )

    it.scopedLive("end for interceptors before this one as they end without it", () =>
      Effect.gen(function* () {
        const heard: Array<string> = []
        const config = Cases.retrying({ maxAttempts: 2 })
        const answer = Cases.answers(Cases.busy)
        const alone = rig(config, answer, { client: () => ({ interceptors: [listening(heard, "")] }) })
        const before = rig(config, answer, { client: (made) => ({ interceptors: [listening(heard, ""), made] }) })
        yield* Effect.flatMap(alone, ({ call }) => call())
        yield* Effect.flatMap(before, ({ call }) => call())
        const once = [" -", " no message", " UNAVAILABLE"]
        expect(heard).toEqual([...once, ...once])
      })
    )

    it.scopedLive("are events with the code of their failure", () =>
      Effect.gen(function* () {
        const events: Array<string> = []
        const { call } = yield* rig(Cases.retrying({}), Cases.answers(Cases.busy, Cases.ok), {
          observe: [
            (event) =>
              Effect.sync(() => events.push("error" in event ? `${event._tag} ${event.error.name}` : event._tag))
          ]
        })
        yield* call()
        expect(events).toEqual(["AttemptFailed UNAVAILABLE", "RetryScheduled UNAVAILABLE", "Succeeded"])
      })
    )

    it.scopedLive("belong to their calls when many run at once", () =>
      Effect.gen(function* () {
        const count = 40
        const { call, server } = yield* rig(Cases.retrying({}), (index) =>
          // All first attempts are there before the first retry.
          index < count ? { ...Cases.busy, arrived: count } : Cases.ok
        )
        const requests = Array.from({ length: count }, (_, index) => [`first of ${index}`, `second of ${index}`])
        const kind = (index: number) => (index % 2 === 0 ? "client stream" : "both streams")
        const ended = yield* Effect.forEach(requests, (each, index) => call({ kind: kind(index), requests: each }), {
          concurrency: "unbounded"
        })
        expect(ended.map(({ code }) => code)).toEqual(requests.map(() => "OK"))
        const sent = (from: number) => server.calls.slice(from, from + count).map((each) => each.requests?.join())
        const wanted = requests.map((each) => each.join()).toSorted()
        expect([sent(0).toSorted(), sent(count).toSorted()]).toEqual([wanted, wanted])
        expect(server.calls.length).toBe(2 * count)
      })
    )

    it.scopedLive("are not multiplied by a config of the client whose retries are off", () =>
      Effect.gen(function* () {
        const config = Cases.retrying({})
        const { call, server } = yield* rig(config, Cases.answers(Cases.busy), {
          client: (made) => ({
            interceptors: [made],
            "grpc.enable_retries": 0,
            "grpc.service_config": JSON.stringify(config)
          })
        })
        yield* call()
        expect(server.calls.length).toBe(4)
      })
    )

    it.scopedLive("share the throttle with other clients of the server", () =>
      Effect.gen(function* () {
        const server = yield* GrpcServer.serve(Cases.answers(Cases.busy))
        const made = yield* interceptor(Cases.retrying({}, { maxTokens: 4, tokenRatio: 1 }))
        for (const _ of ["one client", "another"]) {
          yield* GrpcClient.call(yield* GrpcClient.connect(server.address, { interceptors: [made] }))
        }
        expect(server.calls.length).toBe(3)
      })
    )
  })

  describe("a stream of requests", () => {
    const many = Array.from({ length: 30 }, (_, index) => `request ${index}`)

    it.scopedLive.each(["client stream", "both streams"] as const)(
      "that outgrows the buffer goes on in the attempt that runs: %s",
      (kind) =>
        Effect.gen(function* () {
          const { call, server } = yield* rig(Cases.retrying({}), Cases.answers(Cases.busy), {
            bufferBytes: 100
          })
          const { details } = yield* call({ kind, requests: many })
          expect([details, server.calls.map(({ requests }) => requests)]).toEqual([GrpcServer.text(0), [many]])
        })
    )

    it.scopedLive("that outgrows the buffer during a wait is sent once more", () =>
      Effect.gen(function* () {
        const early = { code: "UNAVAILABLE", early: true, pushback: ["50"] } as const
        const { clock, waits } = yield* countingClock
        const made = rig(Cases.retrying({}), Cases.answers(early, Cases.busy), { bufferBytes: 100 })
        const { call, server } = yield* Effect.withClock(made, clock)
        const afterFirst = until(() => waits() === 1)
        const { details } = yield* call({ kind: "client stream", requests: many, afterFirst })
        expect([details, server.calls.length, server.calls[1]?.requests]).toEqual([GrpcServer.text(1), 2, many])
      })
    )

    it.scopedLive("goes on in the attempt whose headers have come", () =>
      Effect.gen(function* () {
        const { call, server } = yield* rig(Cases.retrying({}), Cases.answers({ headers: true, code: "UNAVAILABLE" }))
        const { details, headers } = yield* call({ kind: "both streams", requests: many })
        expect([details, headers.length]).toEqual([GrpcServer.text(0), 1])
        expect(server.calls.map(({ requests }) => requests)).toEqual([many])
      })
    )
  })

  describe("a call that is cancelled", () => {
    it.scopedLive("ends in an attempt, which is cancelled", () =>
      Effect.gen(function* () {
        const { call, server } = yield* rig(Cases.retrying({}), Cases.answers(Cases.never))
        const ended = yield* call({ cancelWhen: until(() => server.calls.length === 1) })
        yield* server.settled
        expect([ended.code, ended.details, server.calls.map(({ ending }) => ending)]).toEqual([
          "CANCELLED",
          "Cancelled on client",
          ["Cancelled"]
        ])
      })
    )

    it.scopedLive("ends in hedges, which are cancelled", () =>
      Effect.gen(function* () {
        const { call, server } = yield* rig(Cases.hedging({}), Cases.answers(Cases.never))
        const { code } = yield* call({ cancelWhen: until(() => server.calls.length === 3) })
        yield* server.settled
        expect([code, server.calls.map(({ ending }) => ending)]).toEqual([
          "CANCELLED",
          ["Cancelled", "Cancelled", "Cancelled"]
        ])
      })
    )

    it.scopedLive("ends in a wait, and leaves neither that nor a fiber", () =>
      Effect.gen(function* () {
        const { clock, waits } = yield* countingClock
        const { fibers, watcher } = Steps.living()
        const made = Effect.withClock(rig(waiting, Cases.answers(Cases.busy)), clock)
        const { call, server } = yield* Steps.watched(made, watcher)
        const before = fibers.size
        let during = before
        const wait = until(() => waits() === 1)
        const { code } = yield* call({ cancelWhen: Effect.map(wait, () => void (during = fibers.size)) })
        expect([code, server.calls.length, waits()]).toEqual(["CANCELLED", 1, 0])
        expect(during).toBeGreaterThan(before)
        expect(fibers.size).toBe(before)
      })
    )

    it.scopedLive("ends even if the client was made in an effect that cannot be interrupted", () =>
      Effect.gen(function* () {
        const { clock, waits } = yield* countingClock
        const made = Effect.uninterruptible(rig(waiting, Cases.answers(Cases.busy)))
        const { call } = yield* Effect.withClock(made, clock)
        expect((yield* call({ cancelWhen: until(() => waits() === 1) })).code).toBe("CANCELLED")
      })
    )

    it.scopedLive("ends with the call that it is made for, in a wait", () =>
      Effect.gen(function* () {
        const { clock, waits } = yield* countingClock
        const { call } = yield* Effect.withClock(rig(waiting, Cases.answers(Cases.busy)), clock)
        const { emitter, options } = parent()
        yield* Effect.fork(
          Effect.map(
            until(() => waits() === 1),
            () => emitter.emit("cancelled")
          )
        )
        const { code, details } = yield* call({ options })
        expect([code, details, emitter.listenerCount("cancelled")]).toEqual([
          "CANCELLED",
          "Cancelled by parent call",
          0
        ])
      })
    )

    it.scopedLive("ends with the call that it is made for, in an attempt", () =>
      Effect.gen(function* () {
        const { call, server } = yield* rig(waiting, Cases.answers(Cases.never))
        const { emitter, options } = parent()
        yield* Effect.fork(
          Effect.map(
            until(() => server.calls.length === 1),
            () => emitter.emit("cancelled")
          )
        )
        const { code } = yield* call({ options })
        yield* server.settled
        expect([code, server.calls[0]?.ending]).toEqual(["CANCELLED", "Cancelled"])
      })
    )

    it.scopedLive("sends nothing when the call that it is made for was cancelled before", () =>
      Effect.gen(function* () {
        const { call, server } = yield* rig(waiting, Cases.answers(Cases.ok))
        const { code } = yield* call({ options: parent({ cancelled: true }).options })
        expect([code, server.calls.length]).toEqual(["CANCELLED", 0])
      })
    )

    it.scopedLive("does not follow the call that it is made for if it is told not to", () =>
      Effect.gen(function* () {
        const { call } = yield* rig(waiting, Cases.answers(Cases.ok))
        const { options } = parent({ cancelled: true, deadline: 1 })
        const { code } = yield* call({ options: { ...options, propagate_flags: 0 } })
        expect(code).toBe("OK")
      })
    )
  })

  describe("a deadline", () => {
    it.scopedLive("of the call that it is made for counts if it is earlier", () =>
      Effect.gen(function* () {
        const { call, server } = yield* rig(waiting, Cases.answers(Cases.busy))
        const { options } = parent({ deadline: Date.now() + 60_000 })
        const { code } = yield* call({ options: { ...options, deadline: new Date(Date.now() + 3_600_000) } })
        expect([code, server.calls.length]).toEqual(["UNAVAILABLE", 1])
      })
    )

    it.scopedLive.each([
      ["is past", -1],
      ["is just past", Date.now() - 1]
    ] as const)("that %s ends the call, whatever is retried", ([, deadline]) =>
      Effect.gen(function* () {
        const { call } = yield* rig(
          Cases.retrying({ retryableStatusCodes: ["DEADLINE_EXCEEDED"] }),
          Cases.answers(Cases.never)
        )
        expect((yield* call({ options: { deadline } })).code).toBe("DEADLINE_EXCEEDED")
      })
    )

    it.scopedLive("further away than any clock counts as none", () =>
      Effect.gen(function* () {
        const { call } = yield* rig(Cases.retrying({}), Cases.answers(Cases.busy, Cases.ok))
        expect((yield* call({ options: { deadline: Date.now() + 1e13 } })).code).toBe("OK")
      })
    )
  })

  describe("what goes wrong on the way", () => {
    it.scopedLive("in another interceptor ends the call", () =>
      Effect.gen(function* () {
        const { call } = yield* rig(Cases.retrying({}), Cases.answers(Cases.ok), {
          client: (made) => ({ interceptors: [made, failing] })
        })
        const { code, details } = yield* call()
        expect([code, details]).toEqual(["INTERNAL", "An interceptor failed: no call today"])
      })
    )

    it.scopedLive("in the serialiser is not retried", () =>
      Effect.gen(function* () {
        const { call, server } = yield* rig(
          Cases.retrying({ retryableStatusCodes: ["INTERNAL"] }),
          Cases.answers(Cases.ok)
        )
        const { code, details } = yield* call({ serialize: unserializable })
        expect([code, details, server.calls.length]).toEqual([
          "INTERNAL",
          expect.stringContaining("Request message serialization failure"),
          0
        ])
      })
    )
  })

  describe("a call under other interceptors", () => {
    it.scopedLive("is told nothing of attempts that have lost", () =>
      Effect.gen(function* () {
        const { children, heard, make } = byHand()
        const call = make(yield* interceptor(Cases.hedging({ maxAttempts: 2 })))
        call.start(new Metadata(), heard.listener)
        yield* until(() => children.length === 2)
        const [lost, won] = children.map(({ listener }) => listener)
        won?.onReceiveMetadata(new Metadata())
        lost?.onReceiveMetadata(new Metadata())
        lost?.onReceiveMessage("late")
        lost?.onReceiveStatus(ended(status.CANCELLED))
        won?.onReceiveMessage("answer")
        won?.onReceiveStatus(ended(status.OK))
        yield* until(() => heard.events.includes("OK"))
        expect(heard.events).toEqual(["headers", "answer", "OK"])
        expect(children.map(({ events }) => events)).toEqual([["Another attempt was chosen"], []])
      })
    )

    it.scopedLive("sends each request of an attempt when the one before was written, until the attempt has lost", () =>
      Effect.gen(function* () {
        const { children, heard, make } = byHand({ requestStream: true })
        const call = make(yield* interceptor(Cases.hedging({ maxAttempts: 2 })))
        call.start(new Metadata(), heard.listener)
        for (const request of ["a", "b", "c"]) call.sendMessage(request)
        call.halfClose()
        yield* until(() => children.length === 2)
        const [lost, won] = children
        lost?.written()
        won?.listener.onReceiveMetadata(new Metadata())
        lost?.written()
        won?.written()
        won?.written()
        won?.written()
        expect(children.map(({ events }) => events)).toEqual([
          ["a", "b", "Another attempt was chosen"],
          ["a", "b", "c", "half-close"]
        ])
        won?.listener.onReceiveStatus(ended(status.OK))
      })
    )

    it.scopedLive("has one attempt when its request is too large to be hedged", () =>
      Effect.gen(function* () {
        const { children, heard, make } = byHand()
        const { clock, over } = yield* countingClock
        // Long enough for the request to come before the second attempt, even if the call starts slowly.
        const config = Cases.hedging({ maxAttempts: 3, hedgingDelay: "0.2s" })
        const call = make(yield* Effect.withClock(interceptor(config, { bufferBytes: 1 }), clock))
        call.start(new Metadata(), heard.listener)
        call.sendMessage("more than a byte")
        call.halfClose()
        // Before the third hedge, the second one was sent.
        yield* until(() => over() === 2)
        children[0]?.listener.onReceiveStatus(ended(status.UNAVAILABLE))
        yield* until(() => heard.events.includes("UNAVAILABLE"))
        expect(children.map(({ events }) => events)).toEqual([["more than a byte", "half-close"]])
      })
    )

    it.scopedLive("goes on in the hedge that has sent most when its requests outgrow the buffer", () =>
      Effect.gen(function* () {
        const { children, heard, make } = byHand({ requestStream: true })
        const config = Cases.hedging({ maxAttempts: 2 })
        const call = make(yield* interceptor(config, { bufferBytes: 12 }))
        call.start(new Metadata(), heard.listener)
        for (const request of ["a", "b"]) call.sendMessage(request)
        yield* until(() => children.length === 2)
        children[1]?.written()
        call.sendMessage("c")
        expect(children.map(({ events }) => events)).toEqual([
          ["a", "Another attempt was chosen"],
          ["a", "b"]
        ])
        children[1]?.listener.onReceiveStatus(ended(status.OK))
      })
    )

    it.scopedLive("is sent nowhere when it was cancelled before its start", () =>
      Effect.gen(function* () {
        const { children, heard, make } = byHand()
        const call = make(yield* interceptor(Cases.retrying({})))
        call.cancelWithStatus(status.CANCELLED, "never mind")
        call.start(new Metadata(), heard.listener)
        yield* until(() => heard.events.length > 1)
        expect([heard.events, children]).toEqual([["nothing", "CANCELLED"], []])
      })
    )

    it.scopedLive("is cancelled with the words of its caller", () =>
      Effect.gen(function* () {
        const { children, heard, make } = byHand()
        const call = make(yield* interceptor(Cases.retrying({})))
        call.start(new Metadata(), heard.listener)
        call.cancelWithStatus(status.ABORTED, "never mind")
        call.cancelWithStatus(status.CANCELLED, "too late")
        yield* until(() => heard.events.length > 1)
        expect([heard.events, children.map(({ events }) => events)]).toEqual([["nothing", "ABORTED"], [["never mind"]]])
      })
    )

    it.scopedLive("knows the peer of its latest attempt", () =>
      Effect.gen(function* () {
        const { children, heard, make } = byHand()
        const call = make(yield* interceptor(Cases.retrying({})))
        const before = call.getPeer()
        call.start(new Metadata(), heard.listener)
        yield* until(() => children.length === 1)
        const peers = [before, call.getPeer(), call.getAuthContext()]
        children[0]?.listener.onReceiveStatus(ended(status.INTERNAL))
        expect(peers).toEqual(["unknown", "peer 0", null])
      })
    )
  })

  it.each([null, {}, "x"])("refuses what is not a GrpcRetry: %o", (given) => {
    expect(() => Interceptor.make(given as never)).toThrow("Interceptor.make: grpc must be a GrpcRetry, got ")
  })

  it.effect.each([
    [-1, "Interceptor.make: bufferBytes must be >= 0, got -1"],
    [Number.NaN, "Interceptor.make: bufferBytes must be >= 0, got NaN"]
  ] as const)("refuses a buffer of %d bytes", ([bufferBytes, message]) =>
    Effect.map(GrpcRetry.make(ServiceConfig.make({})), (grpc) => {
      const make = () => Interceptor.make(grpc, { bufferBytes })
      expect(make).toThrow(InvalidArgument.InvalidArgument)
      expect(make).toThrow(message)
    })
  )
})

describe("the index of the package", () => {
  const source = (path: string) => new URL(`../../src/${path}`, import.meta.url)

  /** What a module and all those that it leads to import from elsewhere, types included. */
  const importsOf = (module: URL, met = new Set<string>()): ReadonlyArray<string> => {
    if (met.has(module.href)) return []
    met.add(module.href)
    const imports = Array.from(readFileSync(module, "utf8").matchAll(/^(?:import|export|\}) .*from "(.+)"$/gm))
    return imports.flatMap(([, from = ""]) => (from.startsWith(".") ? importsOf(new URL(from, module), met) : [from]))
  }

  it("works when @grpc/grpc-js is not installed", () => {
    const named = [source("index.ts"), source("loop/Interceptor.ts")].map((module) => importsOf(module))
    expect(named.map((imports) => imports.includes("@grpc/grpc-js"))).toEqual([false, true])
    expect(named[0]).toContain("effect/Effect")
  })
})
