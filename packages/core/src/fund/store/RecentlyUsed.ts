/**
 * Values by key, in the order of last use. Every operation takes constant time.
 */

interface Item<V> {
  readonly key: string
  readonly value: V
  usedMillis: number
  older: Item<V> | undefined
  newer: Item<V> | undefined
}

/** All times in milliseconds, by a clock that never goes back. */
export interface RecentlyUsed<V> {
  readonly size: () => number
  /** The value of a key, which counts as used now. */
  readonly get: (key: string, nowMillis: number) => V | undefined
  readonly add: (key: string, value: V, nowMillis: number) => void
  /**
   * Checks the two least recently used values, and drops those not used for `idleMillis`. A value in use counts as used now.
   *
   * Checking two for each added value frees room faster than it is filled, at a bounded cost.
   */
  readonly dropIdle: (nowMillis: number, isInUse: (value: V) => boolean) => void
}

/** Makes an empty map. `dropped` is called with each dropped value. */
export const make = <V>(idleMillis: number, dropped: (value: V) => void = () => {}): RecentlyUsed<V> => {
  const items = new Map<string, Item<V>>()
  let oldest: Item<V> | undefined
  let newest: Item<V> | undefined

  const unlink = ({ newer, older }: Item<V>): void => {
    if (older === undefined) oldest = newer
    else older.newer = newer
    if (newer === undefined) newest = older
    else newer.older = older
  }
  const append = (item: Item<V>): void => {
    item.older = newest
    item.newer = undefined
    if (newest === undefined) oldest = item
    else newest.newer = item
    newest = item
  }
  const use = (item: Item<V>, nowMillis: number): void => {
    item.usedMillis = nowMillis
    if (item === newest) return
    unlink(item)
    append(item)
  }

  return {
    size: () => items.size,
    get: (key, nowMillis) => {
      const item = items.get(key)
      if (item !== undefined) use(item, nowMillis)
      return item?.value
    },
    add: (key, value, nowMillis) => {
      const item = { key, value, usedMillis: nowMillis, older: undefined, newer: undefined }
      items.set(key, item)
      append(item)
    },
    dropIdle: (nowMillis, isInUse) => {
      for (let looked = 0; looked < 2; looked++) {
        const item = oldest
        if (item === undefined || nowMillis - item.usedMillis < idleMillis) return
        if (isInUse(item.value)) {
          use(item, nowMillis)
        } else {
          items.delete(item.key)
          unlink(item)
          dropped(item.value)
        }
      }
    }
  }
}
