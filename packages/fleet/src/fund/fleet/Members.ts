/**
 * Counts the processes that share a bucket: each sends heartbeats, and learns how many others there are.
 *
 * The keys of a bucket share heartbeats. These begin when the first key needs the number, and end with the last; a
 * bucket without a local share sends none. The first comes after half a second to a second, the next after one to two,
 * and so on up to one every five to ten seconds; each wait is random, so processes that start together drift apart. A
 * process counts as a member for thirty seconds after a heartbeat, so two of them may be lost.
 * While the store is away, the latest number stays; before the first answer it is one. A new process learns of the
 * others, and they of it, only with their next heartbeats; until then the shares add up to more than the whole.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import type * as Scope from "effect/Scope"
import * as BucketKey from "../../accept/BucketKey.ts"
import type { Settings } from "./FleetBucket.ts"
import type { Store } from "../store/Store.ts"

/** A share that a process has of the bucket of one key. */
interface Member {
  /** How many shares of the bucket there are: the number of members times this process's shares of that key. */
  readonly sharers: () => number
  /** Calls `resize` with that number, at once and whenever it changes. Call it only once. */
  readonly follow: (resize: Resize) => Effect.Effect<void>
}

type Resize = (sharers: number) => Effect.Effect<void>

/** The members that share a bucket, keyed or not. */
export interface Members {
  /** Joins the members of a store for as long as the scope is open. */
  readonly join: (store: Store<unknown>, key: string) => Effect.Effect<Member, never, Scope.Scope>
}

/** A share, and the callback for the number of shares. */
interface Joined {
  resize: Resize
}

/** The members of one store. */
interface Group {
  /** The shares of this process, by key. */
  readonly shares: Map<string, Set<Joined>>
  /** The number of members found by the latest heartbeat. */
  members: number
  /** The id of this process, once it has sent a heartbeat. */
  member: string | undefined
  isBeating: boolean
  heart: Fiber.Fiber<void> | undefined
}

/** The members of the bucket with this name. They are counted per store, so the value can be used with several stores. */
export const make = (settings: Settings): Members => {
  const groups = new WeakMap<Store<unknown>, Group>()
  const groupOf = (store: Store<unknown>): Group => {
    const known = groups.get(store)
    if (known !== undefined) return known
    const group: Group = { shares: new Map(), members: 1, member: undefined, isBeating: false, heart: undefined }
    groups.set(store, group)
    return group
  }
  return {
    join: (store, key) =>
      Effect.suspend(() => {
        const group = groupOf(store)
        const joined: Joined = { resize: () => Effect.void }
        const sharers = () => group.members * Math.max(1, sharesOf(group, key).size)
        const follow = (resize: Resize) => {
          joined.resize = resize
          return Effect.suspend(() => resize(sharers()))
        }
        return Effect.as(
          Effect.acquireRelease(enter(group, key, joined, beating(store, settings, group)), () =>
            leave(group, key, joined)
          ),
          { sharers, follow }
        )
      })
  }
}

const sharesOf = ({ shares }: Group, key: string): Set<Joined> => shares.get(key) ?? new Set()

const enter = (group: Group, key: string, joined: Joined, heart: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.gen(function* () {
    const shares = sharesOf(group, key).add(joined)
    group.shares.set(key, shares)
    yield* resizeEach(group, shares)
    if (group.isBeating) return
    group.isBeating = true
    group.heart = yield* Effect.forkDaemon(Effect.interruptible(heart))
  })

const leave = (group: Group, key: string, joined: Joined): Effect.Effect<void> =>
  Effect.suspend(() => {
    const shares = sharesOf(group, key)
    shares.delete(joined)
    if (shares.size > 0) return resizeEach(group, shares)
    group.shares.delete(key)
    const { heart } = group
    if (group.shares.size > 0 || heart === undefined) return Effect.void
    group.isBeating = false
    group.heart = undefined
    return Effect.asVoid(Fiber.interrupt(heart))
  })

const resizeEach = ({ members }: Group, shares: ReadonlySet<Joined>): Effect.Effect<void> =>
  Effect.forEach([...shares], ({ resize }) => resize(members * shares.size), { discard: true })

const longestSeconds = 10

const presentMillis = 3 * longestSeconds * 1000

/** Sends heartbeats for ever. */
const beating = (store: Store<unknown>, { name }: Settings, group: Group): Effect.Effect<void> =>
  Effect.gen(function* () {
    const member = group.member ?? (yield* memberId)
    group.member = member
    const beat = Effect.suspend(() => store.present(BucketKey.make(name), member, presentMillis)).pipe(
      Effect.asSome,
      // If the store is away or answers nonsense, the latest number stays.
      Effect.catchAllCause(() => Effect.succeedNone)
    )
    for (let seconds = 1; ; seconds = Math.min(longestSeconds, 2 * seconds)) {
      yield* Effect.sleep(seconds * 500 * (1 + (yield* Random.next)))
      const members = Option.getOrElse(yield* beat, () => group.members)
      if (members === group.members || !Number.isSafeInteger(members) || members < 1) continue
      group.members = members
      yield* Effect.forEach([...group.shares.values()], (shares) => resizeEach(group, shares), { discard: true })
    }
  })

/** 64 random bits, which say nothing about the machine. */
const memberId: Effect.Effect<string> = Effect.map(
  Effect.replicateEffect(Random.nextIntBetween(0, 2 ** 32), 2),
  (words) => words.map((word) => word.toString(16).padStart(8, "0")).join("")
)
