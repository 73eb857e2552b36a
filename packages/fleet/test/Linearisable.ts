/**
 * Whether what the clients of a store saw can be explained: by an order of their calls, each at one instant between its
 * beginning and its end, in which the specification gives every answer that they got.
 *
 * The history is read event by event, with all explanations of what was seen so far. A call is given its place in an
 * explanation no earlier than an answer or the passage of time demands it. A call without an end may have had its effect
 * at any time after its beginning, or never.
 * Source: Wing and Gong, "Testing and verifying concurrent objects", 1993; Lowe, "Testing for linearizability", 2017.
 */

/** What calls do one after the other. */
export interface Specification<S, C> {
  /** Runs a call: its answer in words, and the state after it. */
  readonly apply: (state: S, call: C) => readonly [answer: string, state: S]
  /** States with the same key answer all later calls alike. */
  readonly keyOf: (state: S) => string
}

/** One order of calls that gives all answers seen so far. */
interface Explanation<S> {
  readonly state: S
  /** The answers of calls that had their effect and have not ended. */
  readonly answers: ReadonlyMap<string, string>
}

/** What was seen of a history. There is no explanation of it if `explanations` is empty. */
export interface Seen<S, C> {
  readonly open: ReadonlyMap<string, C>
  readonly explanations: ReadonlyMap<string, Explanation<S>>
}

interface Checker<S, C> {
  readonly start: (state: S) => Seen<S, C>
  readonly begin: (seen: Seen<S, C>, id: string, call: C) => Seen<S, C>
  readonly end: (seen: Seen<S, C>, id: string, answer: string) => Seen<S, C>
  /** Changes the state by something that is no call, such as the passage of time. */
  readonly change: (seen: Seen<S, C>, change: (state: S) => S) => Seen<S, C>
}

export const make = <S, C>({ apply, keyOf }: Specification<S, C>): Checker<S, C> => {
  const keyed = (explanations: Iterable<Explanation<S>>): ReadonlyMap<string, Explanation<S>> => {
    const byKey = new Map<string, Explanation<S>>()
    for (const explanation of explanations) byKey.set(key(explanation), explanation)
    return byKey
  }
  const key = ({ answers, state }: Explanation<S>) => {
    let key = keyOf(state)
    if (answers.size < 2) for (const [id, answer] of answers) key += ` ${id},${answer}`
    else for (const id of [...answers.keys()].toSorted()) key += ` ${id},${answers.get(id)}`
    return key
  }

  /** All orders of open calls, up to the ones that have what is looked for. */
  const explained = ({ explanations, open }: Seen<S, C>, isFound: (explanation: Explanation<S>) => boolean) => {
    const reached = new Map<string, Explanation<S>>()
    const reach = (explanation: Explanation<S>) => {
      const name = key(explanation)
      if (reached.has(name)) return
      reached.set(name, explanation)
      if (isFound(explanation)) return
      for (const [id, call] of open) {
        if (explanation.answers.has(id)) continue
        const [answer, state] = apply(explanation.state, call)
        reach({ state, answers: new Map(explanation.answers).set(id, answer) })
      }
    }
    for (const explanation of explanations.values()) reach(explanation)
    return [...reached.values()]
  }

  return {
    start: (state) => ({ open: new Map(), explanations: keyed([{ state, answers: new Map() }]) }),
    begin: ({ explanations, open }, id, call) => ({ open: new Map(open).set(id, call), explanations }),
    end: (seen, id, answer) => ({
      open: without(seen.open, id),
      explanations: keyed(
        explained(seen, ({ answers }) => answers.has(id))
          .filter(({ answers }) => answers.get(id) === answer)
          .map(({ answers, state }) => ({ state, answers: without(answers, id) }))
      )
    }),
    change: (seen, change) => ({
      open: seen.open,
      explanations: keyed(explained(seen, () => false).map(({ answers, state }) => ({ state: change(state), answers })))
    })
  }
}

const without = <A>(self: ReadonlyMap<string, A>, id: string): ReadonlyMap<string, A> => {
  if (!self.has(id)) return self
  const rest = new Map(self)
  rest.delete(id)
  return rest
}

/** What was seen, in words: the same for histories that go on alike. */
export const describe = <S, C>({ explanations, open }: Seen<S, C>, describeCall: (call: C) => string): string =>
  `${[...open].map(([id, call]) => `${id}${describeCall(call)}`).toSorted()}|${[...explanations.keys()].toSorted()}`

/** An event of a recorded history: a call begins, or ends with an answer. */
export type Event<C> =
  | { readonly _tag: "Begin"; readonly id: string; readonly call: C }
  | { readonly _tag: "End"; readonly id: string; readonly answer: string }

/** The first answer of a recorded history that has no explanation. */
export const firstUnexplained = <S, C>(
  specification: Specification<S, C>,
  state: S,
  history: Iterable<Event<C>>
): Event<C> | undefined => {
  const checker = make(specification)
  let seen = checker.start(state)
  for (const event of history) {
    seen =
      event._tag === "Begin" ? checker.begin(seen, event.id, event.call) : checker.end(seen, event.id, event.answer)
    if (seen.explanations.size === 0) return event
  }
  return undefined
}
