/**
 * Every history of a small fleet: clients that ask one bucket of a store for leases and return what they do not need, while
 * calls are lost, clients crash and the clock of the store is set.
 *
 * A client asks for tokens, spends some or all of them, and puts back the others. A call whose answer is lost had its effect;
 * one that its client gives up is still under way, and the store runs it at any later time, or never. Histories that go on
 * alike are walked once and counted as often as there are.
 *
 * The call of an atomic store begins and ends at the instant at which it has its effect. No history is missed by that: where
 * calls begin earlier or end later, fewer orders of them are excluded, so what explains the one also explains the other.
 */
import * as Arrival from "./decide/Arrival.ts"
import * as Gcra from "../src/decide/Gcra.ts"
import * as Linearisable from "./Linearisable.ts"

/** What a store does with an arrival time. */
export interface Bucket {
  readonly taken: typeof Arrival.taken
  readonly put: typeof Arrival.put
}

export interface Options {
  /** What answers are held against. @default that of the stores */
  readonly specification?: Bucket
  /** What the store does. @default what is specified */
  readonly store?: Bucket
  /** Whether the store reads and writes in one piece. @default true */
  readonly isAtomic?: boolean
  /** The tokens that a client believes to have after the answer to a put was lost. @default none */
  readonly heldAfterLostPut?: (tokens: number) => number
  readonly ticks: number
  /** Calls that are given up, answers that are lost and crashes, in one history. */
  readonly losses: number
  /** Ticks by which the clock of the store is set, forward or back, once in a history. */
  readonly steps: ReadonlyArray<number>
  /** How often each client may ask: once between two ticks, or once in a history. */
  readonly asksOnceIn: "tick" | "history"
  /** How many tokens a client may ask for, and how many it takes at least. */
  readonly asks: ReadonlyArray<readonly [want: number, least: number]>
  /** The most tokens that a client may hold: what is spent is held against it. @default nothing is */
  readonly lease?: number
}

/** A lease of two tokens or one; the clock goes forward by two ticks, or back by two, or by more than two windows. */
export const fleet: Options = { ticks: 4, losses: 0, steps: [2, -2, -7], asks: [[2, 1]], asksOnceIn: "tick", lease: 2 }

export type Law =
  | "every answer has an explanation"
  | "in no time is more granted than burst and rate allow"
  | "in no time is more spent than burst, rate and leases allow"
  | "what is refused could not be granted"
  | "a refusal writes nothing"
  | "no token is granted twice"
  | "no arrival time is stored that is beyond a window"

/** All histories keep the laws, or one breaks a law. */
export type Found =
  | { readonly _tag: "Kept"; readonly histories: bigint; readonly worlds: number; readonly refusals: number }
  | { readonly _tag: "Broken"; readonly law: Law; readonly history: ReadonlyArray<string> }

const clients = 3
const burst = 3
/** A token comes in every tick. */
const tick = 1_000_000
const limits: Gcra.Limits = { burst, perSecond: 1 }
const window = Gcra.window(limits)

interface Call {
  readonly name: string
  /** None where tokens are put. */
  readonly question: Gcra.Question | undefined
  readonly put: number
}

interface Client {
  readonly name: string
  readonly held: number
  readonly mayAsk: boolean
  readonly isCrashed: boolean
  /** What a store that is not atomic has read for it, and has still to write. */
  readonly reading: { readonly call: Call; readonly arrival: number } | undefined
}

const client = (held: number, mayAsk: boolean, isCrashed = false, reading?: Client["reading"]): Client => ({
  name: `${held}${mayAsk ? "?" : ""}${isCrashed ? "x" : ""}${reading === undefined ? "" : reading.call.name + reading.arrival}`,
  held,
  mayAsk,
  isCrashed,
  reading
})

interface World {
  readonly clients: ReadonlyArray<Client>
  /** Calls that were given up and are under way. */
  readonly strays: ReadonlyArray<Call>
  readonly arrival: number
  readonly now: number
  readonly ticks: number
  readonly losses: number
  /** By how much the clock was set, in microseconds. */
  readonly step: number
  /** The most that was granted in any time up to now, less what was put back and what the rate gave, in microseconds of refill. */
  readonly excess: number
  /** The same of any time since the clock was set. */
  readonly excessSinceStep: number
  /** The most that was spent in any time up to now, less what the rate gave, if that is counted. */
  readonly spent: number
  /** Tokens that were granted, and neither spent nor put back. */
  readonly out: number
  /** What the clients have seen. */
  readonly seen: number
}

interface Stored {
  readonly arrival: number
  readonly now: number
}

interface Ran {
  readonly arrival: number
  readonly granted: number
  readonly answer: string
}

const run = ({ put, taken }: Bucket, { arrival, now }: Stored, { put: tokens, question }: Call): Ran => {
  if (question === undefined) {
    return { arrival: put(arrival, now, window, Gcra.credit(limits, tokens)), granted: 0, answer: "" }
  }
  const { arrival: after, granted, retryAfter, room } = taken(arrival, now, question)
  return { arrival: after, granted: granted / tick, answer: `${granted}, ${retryAfter}, ${room}` }
}

const makeChecker = (specification: Bucket) =>
  Linearisable.make<Stored, Call>({
    apply: (stored, call) => {
      const { answer, arrival } = run(specification, stored, call)
      return [answer, { arrival, now: stored.now }]
    },
    keyOf: ({ arrival, now }) => `${arrival}@${now}`
  })

type Seen = Linearisable.Seen<Stored, Call>

/** Numbers what was seen, and remembers what follows from it. */
const makeSightings = () => {
  const numbers = new Map<string, number>()
  const sightings: Array<{ readonly seen: Seen; readonly next: Map<string, number> }> = []
  const numberOf = (seen: Seen): number => {
    const key = Linearisable.describe(seen, ({ name }) => name)
    const number = numbers.get(key) ?? sightings.length
    if (number === sightings.length) {
      numbers.set(key, number)
      sightings.push({ seen, next: new Map() })
    }
    return number
  }
  const at = (number: number) => {
    const sighting = sightings[number]
    if (sighting === undefined) throw new RangeError(`nothing was seen as number ${number}`)
    return sighting
  }
  return {
    numberOf,
    isExplained: (number: number) => at(number).seen.explanations.size > 0,
    after: (number: number, event: string, next: (seen: Seen) => Seen): number => {
      const sighting = at(number)
      const after = sighting.next.get(event) ?? numberOf(next(sighting.seen))
      sighting.next.set(event, after)
      return after
    }
  }
}

type Sightings = ReturnType<typeof makeSightings>

/** A law that the history up to here breaks. */
class Broken {
  readonly law: Law
  constructor(law: Law) {
    this.law = law
  }
}

type Move = readonly [name: string, next: () => World]

/** What the moves of a fleet have in common. */
interface Rules {
  readonly store: Bucket
  readonly checker: ReturnType<typeof makeChecker>
  readonly sightings: Sightings
  /** Called with every refusal. */
  readonly refused: () => void
  readonly takes: ReadonlyArray<Call>
  readonly isAtomic: boolean
  readonly countsSpent: boolean
  readonly heldAfterLostPut: (tokens: number) => number
}

const puts = Array.from({ length: burst }, (_, index): Call => ({
  name: `put ${index + 1}`,
  question: undefined,
  put: index + 1
}))

const withClient = (world: World, id: number, client: Client): World => ({
  ...world,
  clients: world.clients.map((other, index) => (index === id ? client : other))
})

/** The store runs a call on the arrival time that it has read. */
const stored = ({ refused, store }: Rules, world: World, call: Call, read: number) => {
  const { answer, arrival, granted } = run(store, { arrival: read, now: world.now }, call)
  if (call.question !== undefined && granted === 0) {
    refused()
    // A clock that went back refuses for as long, but not if it shows that the bucket cannot have owed so much.
    const denied = read - world.now > 2 * window ? 0 : Math.max(0, -world.step)
    if (world.excess + call.question.least + denied <= window) throw new Broken("what is refused could not be granted")
    if (arrival !== read) throw new Broken("a refusal writes nothing")
  } else if (arrival > world.now + window) throw new Broken("no arrival time is stored that is beyond a window")
  const change = (granted - call.put) * tick
  const excess = Math.max(0, world.excess + change)
  const excessSinceStep = Math.max(0, world.excessSinceStep + change)
  const after = { ...world, arrival, excess, excessSinceStep, out: world.out + granted - call.put }
  return { answer, granted, after }
}

const begin = ({ checker, sightings }: Rules, world: World, id: string, call: Call): World => ({
  ...world,
  seen: sightings.after(world.seen, `${id} ${call.name}`, (seen) => checker.begin(seen, id, call))
})

const end = ({ checker, sightings }: Rules, world: World, id: string, answer: string): World => ({
  ...world,
  seen: sightings.after(world.seen, `${id}: ${answer}`, (seen) => checker.end(seen, id, answer))
})

/** A client calls, and has spent all that it does not put back. */
const calls = (rules: Rules, world: World, id: number, call: Call): ReadonlyArray<Move> => {
  const asker = `client ${id}`
  const { held, mayAsk } = world.clients[id] ?? client(0, false)
  const mayAskAgain = mayAsk && call.question === undefined
  const spent = held - call.put
  const asked = { ...world, out: world.out - spent, spent: rules.countsSpent ? world.spent + spent * tick : 0 }
  const answered = () => {
    const { after, answer, granted } = stored(rules, asked, call, world.arrival)
    return end(rules, begin(rules, withClient(after, id, client(granted, mayAskAgain)), asker, call), asker, answer)
  }
  const read = () =>
    withClient(begin(rules, asked, asker, call), id, client(0, mayAskAgain, false, { call, arrival: world.arrival }))
  const called: Move = [`${asker}: ${call.name}`, rules.isAtomic ? answered : read]
  if (world.losses === 0) return [called]
  const unanswered = client(rules.heldAfterLostPut(call.put), mayAskAgain)
  return [called, ...losses(rules, { ...withClient(asked, id, unanswered), losses: world.losses - 1 }, asker, call)]
}

/** The answer of a call is lost, or its client gives it up. */
const losses = (rules: Rules, world: World, asker: string, call: Call): ReadonlyArray<Move> => {
  const given = (world: World) => begin(rules, world, `lost ${world.losses}`, call)
  return [
    [`${asker}: ${call.name}, without an answer`, () => given(stored(rules, world, call, world.arrival).after)],
    [`${asker}: ${call.name}, given up`, () => given({ ...world, strays: [...world.strays, call] })]
  ]
}

/** The store that has read writes, and answers. */
const writes = (
  rules: Rules,
  world: World,
  id: number,
  { arrival, call }: NonNullable<Client["reading"]>
): ReadonlyArray<Move> => {
  const written = () => {
    const { after, answer, granted } = stored(rules, world, call, arrival)
    const { mayAsk } = world.clients[id] ?? client(0, false)
    return end(rules, withClient(after, id, client(granted, mayAsk)), `client ${id}`, answer)
  }
  return [[`the store writes for client ${id}`, written]]
}

/** A client that holds tokens crashes. */
const crashes = (world: World, id: number): ReadonlyArray<Move> => {
  const { held } = world.clients[id] ?? client(0, false)
  if (held === 0 || world.losses === 0) return []
  const crashed = () => withClient({ ...world, losses: world.losses - 1 }, id, client(held, false, true))
  return [[`client ${id} crashes`, crashed]]
}

const ofClient = (rules: Rules, world: World, id: number): ReadonlyArray<Move> => {
  const { held, isCrashed, mayAsk, reading } = world.clients[id] ?? client(0, false)
  if (isCrashed) return []
  if (reading !== undefined) return writes(rules, world, id, reading)
  const possible = [...(mayAsk ? rules.takes : []), ...puts.slice(0, held)]
  return [...possible.flatMap((call) => calls(rules, world, id, call)), ...crashes(world, id)]
}

/** A call that was given up arrives. */
const arrivals = (rules: Rules, world: World): ReadonlyArray<Move> =>
  world.strays.map((call, index) => [
    `${call.name} arrives late`,
    () => ({
      ...stored(rules, world, call, world.arrival).after,
      strays: world.strays.filter((_, other) => other !== index)
    })
  ])

/** A tick passes, in which the clock may be set. */
const ticks = (rules: Rules, world: World, { asksOnceIn, steps }: Options): ReadonlyArray<Move> => {
  if (world.ticks === 0 || world.clients.some(({ reading }) => reading !== undefined)) return []
  const clients =
    asksOnceIn === "tick"
      ? world.clients.map(({ held, isCrashed }) => client(held, !isCrashed, isCrashed))
      : world.clients
  const possible = world.step === 0 ? [0, ...steps] : [0]
  return possible.map((step) => [
    `a tick, the clock set by ${step}`,
    () => ({ ...passed(rules, world, step), clients })
  ])
}

const passed = ({ checker, sightings }: Rules, world: World, step: number): World => {
  const micros = (1 + step) * tick
  return {
    ...world,
    ticks: world.ticks - 1,
    now: world.now + micros,
    step: world.step + step * tick,
    excess: Math.max(0, world.excess - tick),
    excessSinceStep: step === 0 ? Math.max(0, world.excessSinceStep - tick) : 0,
    spent: Math.max(0, world.spent - tick),
    seen: sightings.after(world.seen, `tick ${step}`, (seen) =>
      checker.change(seen, ({ arrival, now }) => ({ arrival, now: now + micros }))
    )
  }
}

const rulesOf = (options: Options, sightings: Sightings, refused: () => void): Rules => {
  const { asks, heldAfterLostPut = () => 0, isAtomic = true, lease, specification = Arrival } = options
  const takes = asks.map(([want, least]): Call => ({
    name: `take ${want}/${least}`,
    question: Gcra.question(limits, want, least),
    put: 0
  }))
  return {
    store: options.store ?? specification,
    checker: makeChecker(specification),
    sightings,
    refused,
    takes,
    isAtomic,
    countsSpent: lease !== undefined,
    heldAfterLostPut
  }
}

/** The world at the start, and what can happen in a world. */
const makeMoves = (options: Options, sightings: Sightings, refused: () => void) => {
  const rules = rulesOf(options, sightings, refused)
  return {
    start: {
      clients: Array.from({ length: clients }, () => client(0, true)),
      strays: [],
      arrival: 0,
      now: 0,
      ticks: options.ticks,
      losses: options.losses,
      step: 0,
      excess: 0,
      excessSinceStep: 0,
      spent: 0,
      out: 0,
      seen: sightings.numberOf(rules.checker.start({ arrival: 0, now: 0 }))
    } satisfies World,
    of: (world: World): ReadonlyArray<Move> => [
      ...world.clients.flatMap((_, id) => ofClient(rules, world, id)),
      ...arrivals(rules, world),
      ...ticks(rules, world, options)
    ]
  }
}

/** Tokens in the hands of clients, and on their way back. */
const ownedIn = ({ clients, strays }: World): number => {
  let owned = 0
  for (const { put } of strays) owned += put
  for (const { held, reading } of clients) owned += held + (reading?.call.put ?? 0)
  return owned
}

const check = (world: World, { asks, lease = Infinity }: Options, sightings: Sightings): void => {
  // A clock that is set forward brings what the time brings, and one that is set back by more than two windows one question.
  const mostAsked = Math.max(...asks.map(([, least]) => least)) * tick
  const allowed = world.step < 0 ? (world.step < -window ? mostAsked : 0) : Math.min(window, world.step)
  if (world.excess > window + allowed || world.excessSinceStep > window) {
    throw new Broken("in no time is more granted than burst and rate allow")
  }
  if (world.spent > window + allowed + clients * lease * tick) {
    throw new Broken("in no time is more spent than burst, rate and leases allow")
  }
  if (world.out < ownedIn(world)) throw new Broken("no token is granted twice")
  if (!sightings.isExplained(world.seen)) throw new Broken("every answer has an explanation")
}

const keyOf = (world: World, isAtomic: boolean): string => {
  const names = world.clients.map(({ name }) => name)
  // Clients are alike. The ones of a store that is not atomic are told apart by their open calls.
  if (isAtomic) names.sort()
  const { arrival, excess, excessSinceStep, losses, now, out, seen, spent, step, strays, ticks } = world
  const calls = strays.map(({ name }) => name).toSorted()
  return `${names} ${calls} ${arrival} ${now} ${ticks} ${losses} ${step} ${excess} ${excessSinceStep} ${spent} ${out} ${seen}`
}

/** Walks all histories. */
export const explore = (options: Options): Found => {
  const { isAtomic = true } = options
  let refusals = 0
  const sightings = makeSightings()
  const moves = makeMoves(options, sightings, () => void refusals++)
  const counted = new Map<string, bigint>()
  const history: Array<string> = []
  const count = (world: World): bigint => {
    const key = keyOf(world, isAtomic)
    const known = counted.get(key)
    if (known !== undefined) return known
    check(world, options, sightings)
    let histories = 0n
    for (const [name, next] of moves.of(world)) {
      history.push(name)
      histories += count(next())
      history.pop()
    }
    const all = histories === 0n ? 1n : histories
    counted.set(key, all)
    return all
  }
  try {
    return { _tag: "Kept", histories: count(moves.start), worlds: counted.size, refusals }
  } catch (broken) {
    if (broken instanceof Broken) return { _tag: "Broken", law: broken.law, history }
    throw broken
  }
}
