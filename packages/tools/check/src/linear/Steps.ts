/**
 * Counts the steps of a run: those of counted sources, and those of the built-ins that they call.
 *
 * A built-in costs as much as it reads or writes: a search the characters that it passes, a copy its length, a regular expression
 * the steps of its matcher. Two things cost nothing, since V8 does them in constant time or once: joining two texts by `+`,
 * and the comparison of two texts.
 *
 * `install` changes the built-ins of the whole process for good: for a process of its own.
 */
import { matcherOf } from "./Backtracking.ts"

/** The names under which a counted source finds what it calls. */
export const names = { step: "__countStep", spread: "__countSpread" } as const

let steps = 0
let isCounting = false
let refusal: unknown

/** The steps of a run, which may be asynchronous. */
export const stepsOf = async (run: () => unknown): Promise<number> => {
  steps = 0
  refusal = undefined
  isCounting = true
  try {
    await run()
  } finally {
    isCounting = false
  }
  if (refusal !== undefined) throw refusal
  return steps
}

type Cost = (self: unknown, args: ReadonlyArray<unknown>, result: unknown) => number

const call = Reflect.apply
const { construct } = Reflect
const indexIn = Array.prototype.indexOf

/** The cost is not counted itself. */
const add = (cost: () => number): void => {
  isCounting = false
  try {
    steps += 1 + cost()
  } catch (error) {
    // An error that the run catches does not count as one of its errors.
    refusal ??= error
  } finally {
    isCounting = true
  }
}

const change = (owner: object, key: PropertyKey, cost: Cost): void => {
  const descriptor = Object.getOwnPropertyDescriptor(owner, key)
  if (descriptor === undefined || typeof descriptor.value !== "function") {
    throw new Error(`there is no built-in ${String(key)}`)
  }
  const original: (...args: ReadonlyArray<unknown>) => unknown = descriptor.value
  const value = function (this: unknown, ...args: ReadonlyArray<unknown>): unknown {
    if (!isCounting) return call(original, this, args)
    const result = call(original, this, args)
    add(() => cost(this, args, result))
    return result
  }
  Object.defineProperty(owner, key, { ...descriptor, value })
}

const each = (owner: object, keys: ReadonlyArray<PropertyKey>, cost: Cost): void =>
  keys.forEach((key) => change(owner, key, cost))

/** How many characters, elements or properties a value has. */
const size = (value: unknown): number => {
  if (typeof value === "string") return value.length
  if (typeof value === "number" || typeof value === "boolean") return 1
  if (ArrayBuffer.isView(value)) return value.byteLength
  if (value instanceof ArrayBuffer) return value.byteLength
  if (value instanceof Map || value instanceof Set) return value.size
  if (Array.isArray(value)) return value.length
  return typeof value === "object" && value !== null ? Object.keys(value).length : 0
}

const ofSelf: Cost = (self) => size(self)
const ofResult: Cost = (_, __, result) => size(result)
const ofArgument: Cost = (_, [first]) => size(first)

/** A search from `start` on, which ends when it finds something. */
const passed = (found: number, start: number, length: number): number =>
  found === -1 ? Math.max(0, length - start) : Math.max(0, found - start)

const startOf = (given: unknown): number => (typeof given === "number" ? Math.max(0, given) : 0)

const texts = () => {
  const text = String.prototype
  const find = text.indexOf
  const search: Cost = (self, [what, from]) => {
    const start = startOf(from)
    return passed(call(find, self, [what, start]), start, size(self)) + size(what)
  }
  each(text, ["indexOf", "includes"], search)
  change(text, "lastIndexOf", (self, [what, from], result) => {
    const last = typeof from === "number" ? Math.min(Math.max(0, from), size(self)) : size(self)
    return last - Math.max(0, Number(result)) + size(what)
  })
  each(text, ["startsWith", "endsWith"], ofArgument)
  each(text, ["slice", "substring", "substr", "repeat", "padStart", "padEnd", "concat"], ofResult)
  each(text, ["trim", "trimStart", "trimEnd"], ofSelf)
  each(text, ["toLowerCase", "toUpperCase", "toLocaleLowerCase", "toLocaleUpperCase"], ofSelf)
  each(text, ["normalize", "localeCompare", "isWellFormed", "toWellFormed"], ofSelf)
  each(text, ["split", "replace", "replaceAll"], (self, _, result) => size(self) + size(result))
}

/** All other methods of texts and patterns that match call this one. */
const patterns = (instead: ReadonlyMap<string, RegExp>) => {
  const pattern = RegExp.prototype
  const { exec } = pattern
  Object.defineProperty(pattern, "exec", {
    configurable: true,
    writable: true,
    value: function (this: RegExp, given: unknown) {
      if (isCounting) {
        const from = this.global || this.sticky ? this.lastIndex : 0
        add(() => matcherOf(instead.get(this.source) ?? this)(String(given), { from, limit: 1e7 }).steps)
      }
      return call(exec, this, [given])
    }
  })
}

const withCallback = (owner: object, keys: ReadonlyArray<string>): void => {
  for (const key of keys) {
    const original: (...args: ReadonlyArray<unknown>) => unknown = Object.getOwnPropertyDescriptor(owner, key)?.value
    Object.defineProperty(owner, key, {
      configurable: true,
      writable: true,
      value: function (this: unknown, callback: unknown, ...rest: ReadonlyArray<unknown>): unknown {
        if (!isCounting || typeof callback !== "function") return call(original, this, [callback, ...rest])
        const counted = function (this: unknown, ...args: ReadonlyArray<unknown>): unknown {
          if (isCounting) steps += 1
          return call(callback as (...args: ReadonlyArray<unknown>) => unknown, this, args)
        }
        return call(original, this, [counted, ...rest])
      }
    })
  }
}

const lists = () => {
  const list = Array.prototype
  withCallback(list, ["map", "filter", "forEach", "reduce", "reduceRight", "some", "every", "flatMap"])
  withCallback(list, ["find", "findIndex", "findLast", "findLastIndex"])
  each(list, ["indexOf", "includes"], (self, [what, from]) => {
    const start = startOf(from)
    return passed(call(indexIn, self, [what, start]), start, size(self))
  })
  each(list, ["lastIndexOf", "shift", "unshift", "reverse", "fill", "splice", "copyWithin"], ofSelf)
  each(list, ["toReversed", "toSpliced", "with"], ofSelf)
  each(list, ["concat", "slice", "flat"], ofResult)
  change(list, "join", (self, _, result) => size(self) + size(result))
  each(list, ["sort", "toSorted"], (self) => size(self) * Math.log2(1 + size(self)))
  change(list, "push", (_, args) => args.length)
  change(Array, "from", ofResult)
}

const bytes = () => {
  const list = Object.getPrototypeOf(Uint8Array.prototype) as object
  each(list, ["slice", "map", "filter", "toReversed", "toSorted"], ofResult)
  each(list, ["indexOf", "includes", "join", "fill", "reverse", "every", "some", "find", "findIndex"], ofSelf)
  each(list, ["set"], ofArgument)
  change(Object.getPrototypeOf(Uint8Array) as object, "from", ofResult)
  change(TextDecoder.prototype, "decode", ofArgument)
  change(TextEncoder.prototype, "encode", ofResult)
}

const others = () => {
  change(JSON, "parse", ofArgument)
  change(JSON, "stringify", ofResult)
  each(Object, ["keys", "values", "entries", "fromEntries", "getOwnPropertyNames", "getOwnPropertySymbols"], ofResult)
  each(Object, ["getOwnPropertyDescriptors", "freeze"], ofResult)
  change(Object, "assign", (_, args) => args.reduce<number>((sum, each) => sum + size(each), 0))
  each(Reflect, ["ownKeys"], ofResult)
  each(globalThis, ["decodeURIComponent", "encodeURIComponent", "decodeURI", "encodeURI"], ofArgument)
  each(globalThis, ["parseInt", "parseFloat"], ofArgument)
  each(Map.prototype, ["get", "set", "has"], () => 0)
  each(Set.prototype, ["add", "has"], () => 0)
  change(Date, "parse", ofArgument)
  change(URL, "canParse", ofArgument)
  for (const key of ["Number", "BigInt", "URL", "URLSearchParams"] as const) made(key)
}

/** A global that reads its argument when it is called, with `new` or without. */
const made = (key: "Number" | "BigInt" | "URL" | "URLSearchParams"): void => {
  const changed = new Proxy(globalThis[key] as unknown as new (...args: ReadonlyArray<unknown>) => object, {
    apply: (target, self, args) => {
      if (isCounting) add(() => size(args[0]))
      return call(target as unknown as (...args: ReadonlyArray<unknown>) => unknown, self, args)
    },
    construct: (target, args, newTarget) => {
      if (isCounting) add(() => size(args[0]))
      return construct(target, args, newTarget) as object
    }
  })
  Object.defineProperty(globalThis, key, { configurable: true, writable: true, value: changed })
}

/**
 * From here on, the process counts its steps. A pattern of a library that no matcher counts has another one `instead`, by
 * its source, that goes back as often.
 */
export const install = (instead: ReadonlyMap<string, RegExp> = new Map()): void => {
  texts()
  patterns(instead)
  lists()
  bytes()
  others()
}

Object.assign(globalThis, {
  [names.step]: () => {
    if (isCounting) steps += 1
  },
  [names.spread]: (value: unknown) => {
    if (isCounting) add(() => size(value))
    return value
  }
})
