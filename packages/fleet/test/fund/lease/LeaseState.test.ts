import { describe, expect, it } from "@effect/vitest"
import { Cause, FastCheck, Option } from "effect"
import type { Command, LeaseState, Message } from "../../../src/fund/lease/LeaseState.ts"
import * as State from "../../../src/fund/lease/LeaseState.ts"
import * as Waiters from "../../../src/fund/lease/Waiters.ts"

/** What surrounds a state: a store that answers when it is told to, timers, and attempts. Checks every step. */
interface World {
  readonly state: LeaseState<string>
  readonly time: { nowMillis: number }
  call: Command<string> | undefined
  hasAlarm: boolean
  hasSweep: boolean
  readonly waiting: Array<Waiters.Waiter<string>>
  /** Attempts that were granted after a wait, which can still be interrupted. */
  readonly served: Array<Waiters.Waiter<string>>
  /** The costs of attempts that can be refunded. */
  readonly grants: Array<number>
}

const limits = { burst: 30, perSecond: 20 }

const worldOf = (most: number, maxWait: Option.Option<number>): World => {
  const time = { nowMillis: 0 }
  const state = State.make<string>({ limits, maxWait, most, pause: 5, nowMillis: () => time.nowMillis })
  return { state, time, call: undefined, hasAlarm: false, hasSweep: false, waiting: [], served: [], grants: [] }
}

/** All tokens that the process has, and that are on their way to the store. */
const tokensOf = ({ held, returning, surplus }: LeaseState<string>) => held.all() + surplus + returning

/** Tells the state, obeys its commands, and answers by how much its tokens became more. */
const tell = (world: World, message: Message<string>): number => {
  const { state } = world
  const before = tokensOf(state)
  let granted = 0
  if (message._tag === "Came") world.waiting.push(message.waiter)
  for (const command of State.step(state, message)) {
    if ("waiter" in command) {
      const { waiter } = command
      const turn = world.waiting.indexOf(waiter)
      expect(turn, "an attempt is answered once").toBeGreaterThanOrEqual(0)
      world.waiting.splice(turn, 1)
      if (command._tag !== "Grant") continue
      expect(turn, "a grant is for the first that waits").toBe(0)
      world.served.push(waiter)
      granted += waiter.cost
    } else obey(world, command)
  }
  consistent(world)
  const isDue = state.isReturnDue && state.surplus > 1e-6 && !state.isClosed
  if (world.call === undefined) expect(isDue, "what is due is returned").toBe(false)
  return tokensOf(state) - before + granted
}

const obey = (world: World, command: Command<string>) => {
  switch (command._tag) {
    case "Ask":
    case "Return":
    case "ReadLevel":
      expect(world.call, "one call is under way").toBeUndefined()
      world.call = command
      return
    case "Ring":
      world.hasAlarm = true
      return
    case "Silence":
      world.hasAlarm = false
      return
    case "Sweep":
      expect(world.hasSweep, "one sweep is to come").toBe(false)
      world.hasSweep = true
      return
    case "Stop":
      world.hasAlarm = false
      world.hasSweep = false
  }
}

/** What holds after every step. */
const consistent = ({ call, hasAlarm, hasSweep, state, waiting }: World) => {
  const leased = state.held.leased()
  expect(
    Math.min(leased, state.surplus, state.returning, state.held.all()),
    "no tokens are owed"
  ).toBeGreaterThanOrEqual(0)
  expect(state.isCalling, "the state knows of the call").toBe(call !== undefined)
  expect([...state.waiters.all()], "those that wait were not answered").toEqual(waiting)
  expect(state.waiters.demand()).toBeCloseTo(
    waiting.reduce((sum, { cost }) => sum + cost, 0),
    9
  )
  if (state.isClosed) return expect([waiting, hasAlarm || hasSweep], "nothing comes after the end").toEqual([[], false])
  expect(state.alarmMillis !== undefined, "the state knows of the alarm").toBe(hasAlarm)
  if (waiting.length > 0) expect(call !== undefined || hasAlarm, "an attempt waits for something").toBe(true)
  if (leased + state.surplus > 1e-6) expect(hasSweep, "a sweep finds what is left").toBe(true)
}

/** One thing that happens, if it can: `cost` and `draw` are for what needs them. */
const actions: { readonly [name: string]: (world: World, cost: number, draw: number) => void } = {
  come: (world, cost, draw) => {
    const { state, time } = world
    if (State.take(state, cost)) {
      world.grants.push(cost)
      return consistent(world)
    }
    const limitMillis = draw < 0.2 ? 0 : draw < 0.5 ? 300 : Infinity
    // An attempt comes in a later step than it was judged in: the bucket may have ended in between.
    if (!state.isClosed && State.isRefused(state, cost, limitMillis)) return
    const waiter = Waiters.waiter<string>(cost, limitMillis, time.nowMillis)
    expect(tell(world, { _tag: "Came", waiter })).toBeCloseTo(0, 9)
  },
  late: (world) => {
    const waiter = world.waiting.find(({ untilMillis }) => untilMillis <= world.time.nowMillis)
    if (waiter !== undefined) expect(tell(world, { _tag: "Late", waiter })).toBeCloseTo(0, 9)
  },
  leave: (world, _cost, draw) => {
    const { served, waiting } = world
    const waiter = draw < 0.5 ? waiting[Math.floor(2 * draw * waiting.length)] : served.pop()
    if (waiter === undefined) return
    const back = world.state.isClosed ? 0 : waiter.granted
    expect(tell(world, { _tag: "Left", waiter })).toBeCloseTo(back, 9)
  },
  refund: (world) => {
    const cost = world.grants.pop() ?? world.served.pop()?.cost
    if (cost === undefined) return
    expect(putIn(world, "PutBack", cost)).toBeCloseTo(world.state.isClosed ? 0 : cost, 9)
  },
  earn: (world, cost) => {
    const gained = putIn(world, "Earned", cost)
    expect(gained).toBeGreaterThanOrEqual(-1e-9)
    expect(gained).toBeLessThanOrEqual(cost + 1e-9)
  },
  keep: (world, cost) => {
    const gained = putIn(world, "Kept", cost)
    expect(gained).toBeGreaterThanOrEqual(-1e-9)
    expect(gained).toBeLessThanOrEqual(cost + 1e-9)
  },
  readLevel: (world) => {
    const { call } = world
    tell(world, { _tag: "LevelWanted" })
    expect(world.call, "the level is read where no call is under way").toEqual(call ?? { _tag: "ReadLevel" })
  },
  answer: (world, _cost, draw) => {
    const { call } = world
    world.call = undefined
    if (call?._tag === "ReadLevel")
      expect(tell(world, { _tag: "LevelRead", level: draw * limits.burst })).toBeCloseTo(0, 9)
    else if (call?._tag === "Return") expect(tell(world, { _tag: "Returned" })).toBeCloseTo(-call.tokens, 9)
    else if (call?._tag === "Ask") {
      const { question } = call
      const granted = draw < 0.3 ? 0 : draw < 0.6 ? question.least : question.want
      const isShort = granted < question.want
      const taken = { granted, level: isShort ? question.least * 0.9 : 10 * draw, retryAfterMillis: isShort ? 50 : 0 }
      expect(tell(world, { _tag: "Taken", question, taken, draw })).toBeCloseTo(granted, 9)
    }
  },
  fail: (world) => {
    const { call } = world
    if (call === undefined) return
    world.call = undefined
    const lost = call._tag === "Return" ? call.tokens : 0
    const waited = [...world.waiting]
    expect(tell(world, { _tag: "Failed", cause: Cause.fail("away") })).toBeCloseTo(-lost, 9)
    expect(
      waited.filter((waiter) => world.waiting.includes(waiter)),
      "all that waited fail"
    ).toEqual([])
  },
  ring: (world) => {
    if (!world.hasAlarm) return
    world.hasAlarm = false
    tell(world, { _tag: "Rung" })
  },
  sweep: (world, _cost, draw) => {
    if (!world.hasSweep) return
    world.hasSweep = false
    const uses = world.state.uses - (draw < 0.5 ? 0 : 1)
    expect(tell(world, { _tag: "Swept", uses })).toBeCloseTo(0, 9)
  },
  pass: (world, _cost, draw) => {
    world.time.nowMillis += 800 * draw
  }
}

const putIn = (world: World, _tag: State.TokensIn["_tag"], tokens: number): number => {
  const { state } = world
  const before = tokensOf(state)
  if (!State.absorb(state, { _tag, tokens })) return tell(world, { _tag, tokens })
  consistent(world)
  return tokensOf(state) - before
}

describe("LeaseState.step", () => {
  const happening = FastCheck.tuple(
    FastCheck.constantFrom("come", "come", "come", "answer", "answer", "answer", ...Object.keys(actions)),
    FastCheck.constantFrom(1, 1, 2.5, 5),
    FastCheck.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
  )

  it.prop(
    "loses no token and no attempt, makes one call at a time, and leaves no attempt without something to wait for",
    [
      FastCheck.array(happening, { minLength: 10, maxLength: 200, size: "max" }),
      FastCheck.constantFrom(0, 1, 3, 30),
      FastCheck.constantFrom(Option.none(), Option.some(Infinity), Option.some(400)),
      FastCheck.boolean()
    ],
    ([happenings, most, maxWait, closes]) => {
      const world = worldOf(most, maxWait)
      for (const [name, cost, draw] of happenings) actions[name]!(world, cost, draw)
      if (!closes) return
      tell(world, { _tag: "Closed" })
      for (const [name, cost, draw] of happenings.slice(0, 20)) actions[name]!(world, cost, draw)
      actions["answer"]!(world, 1, 0.9)
      expect(tell(world, { _tag: "Emptied" })).toBeCloseTo(0, 9)
      expect(world.state.held.leased() + world.state.surplus, "all is returned").toBeLessThanOrEqual(1e-6)
    }
  )
})
